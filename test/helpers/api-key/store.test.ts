import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { expect, test } from 'vitest'
import { canary, failure, inDays, printed, program, startDesk, told } from './desk.ts'

const unknownEnd = 'it is not known when it expires: set --expires-at, or ask the platform with --verify'

test('store writes the piped key where its user alone can read it', async () => {
  const { path, run, named } = await startDesk()
  const stored = await run(['store', ...named], { piped: `${canary}\n` })
  expect({
    stored,
    text: await readFile(path, 'utf8'),
    mode: ((await stat(path)).mode & 0o777).toString(8),
    names: await readdir(dirname(path)),
    next: await run(named),
  }).toEqual({
    stored: told(`the key is kept in the file ${path}`, unknownEnd),
    text: `${canary}\n`,
    mode: '600',
    names: ['key'],
    next: printed({ token: canary }),
  })
})

test('forget removes what store has kept, and says where there is no key', async () => {
  const { path, run, named } = await startDesk()
  await run(['store', ...named], { piped: canary })
  const outcomes = [await run(['forget', ...named]), await run(['forget', ...named])]
  expect({ outcomes, left: await readdir(dirname(path)) }).toEqual({
    outcomes: [
      told(`the key is removed from the file ${path}; the platform accepts it until it expires or is deleted there`),
      told(`there was no key in the file ${path}`),
    ],
    left: [],
  })
})

/** Stores a key that ends in so many days. */
async function storeFor(days: number) {
  const { path, run, named } = await startDesk()
  return { path, outcome: await run(['store', ...named, '--expires-at', inDays(days)], { piped: canary }) }
}

test('store keeps the end of the key beside it', async () => {
  const { path, outcome } = await storeFor(30)
  expect({ outcome, kept: JSON.parse(await readFile(path, 'utf8')) }).toEqual({
    outcome: told(`the key is kept in the file ${path}`, `it expires at ${inDays(30)}, in 30 days`),
    kept: { token: canary, expiresAt: inDays(30) },
  })
})

test('store warns of a near end when the platform would', async () => {
  const { path, outcome } = await storeFor(5)
  expect(outcome).toEqual(
    told(
      `the key is kept in the file ${path}`,
      `warning: the key expires at ${inDays(5)}, in 5 days; its life cannot be extended: have another one created before, and store it`,
    ),
  )
})

test('store refuses a key that has expired', async () => {
  expect((await storeFor(-1)).outcome).toEqual(
    failure(
      'refused',
      `the key expired at ${inDays(-1)}, 24 h 0 min ago, and cannot be made valid again`,
      'have another key created, and store that one',
    ),
  )
})

test.each<[piped: string, problem: string]>([
  ['', 'is empty'],
  [`Bearer ${canary}`, 'begins with "Bearer", which the client adds itself'],
  ['x'.repeat(70_000), 'is longer than any key'],
])('input that is not a key is refused, and the stored key stays', async (piped, problem) => {
  const { run, put, path } = await startDesk()
  const named = await put(canary)
  expect(await run(['store', ...named], { piped })).toEqual(
    failure(
      'usage',
      `what was given on standard input ${problem}; nothing is stored`,
      `pipe the key alone into: ${program} store --key-file '${path}'`,
    ),
  )
  expect(await run(named)).toEqual(printed({ token: canary }))
})

test('a file that others could read is replaced by one that they cannot', async () => {
  const { path, run, put } = await startDesk()
  const named = await put('old', 0o644)
  await chmod(path, 0o644)
  expect(await run(['store', ...named], { piped: canary })).toEqual({
    status: 0,
    stdout: '',
    stderr: [
      `api-key: the key is kept in the file ${path}`,
      'api-key: it is not known when it expires: set --expires-at, or ask the platform with --verify',
      '',
    ].join('\n'),
  })
  expect(((await stat(path)).mode & 0o777).toString(8)).toBe('600')
})

test.each([
  'alias l=ls\nalias ll=ls\n',
  'call the landlord on Monday\n',
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5 dana@desk\n',
])('a file that was never a key is neither replaced nor removed: %j', async (content) => {
  const { path, run, put, named } = await startDesk()
  await put(content)
  const refused = failure(
    'not-configured',
    `${path} exists, but does not hold a key`,
    'name another file, or move this one away',
  )
  const outcomes = [await run(['store', ...named], { piped: canary }), await run(['forget', ...named])]
  expect({ outcomes, content: await readFile(path, 'utf8') }).toEqual({ outcomes: [refused, refused], content })
})

test.each(['', 'two\u200bparts', 'Authorization: Bearer s3cret', 'export KEY=s3cret', '"s3cret"'])(
  'replaces a malformed key: %j',
  async (content) => {
    const { path, run, put } = await startDesk()
    const named = await put(content)
    expect(await run(['store', ...named], { piped: canary })).toEqual({
      status: 0,
      stdout: '',
      stderr: `\
api-key: the key is kept in the file ${path}
api-key: it is not known when it expires: set --expires-at, or ask the platform with --verify
`,
    })
    expect(await run(named)).toEqual(printed({ token: canary }))
  },
)

test('another file beside the key stays, whatever its name ends with', async () => {
  const { path, run, put, named } = await startDesk()
  await put('old')
  await writeFile(`${path}.tmp`, 'of another program')
  const outcomes = [await run(['store', ...named], { piped: canary }), await run(['forget', ...named])]
  expect({
    statuses: outcomes.map(({ status }) => status),
    files: await readdir(dirname(path)),
    text: await readFile(`${path}.tmp`, 'utf8'),
  }).toEqual({ statuses: [0, 0], files: [`${basename(path)}.tmp`], text: 'of another program' })
})

test('a link is refused', async () => {
  const { path, run, named } = await startDesk()
  await mkdir(dirname(path), { mode: 0o700 })
  await writeFile(`${path}.old`, 'old')
  await symlink(`${path}.old`, path)
  expect(await run(['store', ...named], { piped: canary })).toEqual(
    failure('not-configured', `${path} is a link`, 'name the file itself'),
  )
})

test('a directory that others may write is refused', async () => {
  const { path, run, named } = await startDesk()
  await mkdir(dirname(path))
  await chmod(dirname(path), 0o777)
  expect(await run(['store', ...named], { piped: canary })).toEqual({
    stdout: '',
    status: 3,
    stderr: `\
api-key: ${dirname(path)} can be written by other users, who could put another key there
api-key: hint: keep the key in another directory, or run: chmod go-w '${dirname(path)}'
`,
  })
})

test('a key of the environment can be neither stored nor forgotten', async () => {
  const { run } = await startDesk()
  const refused = failure(
    'usage',
    'key-variable is set, and this command cannot change a variable',
    'remove key-variable to use the keychain, or name a file with key-file',
  )
  expect(await run(['store', '--key-variable', 'K'], { piped: canary })).toEqual(refused)
  expect(await run(['forget', '--key-variable', 'K'])).toEqual(refused)
})

test('without a keychain nobody is asked for the key first', async () => {
  const { run } = await startDesk()
  const input = () => {
    throw new Error('nothing is read')
  }
  expect(await run(['store'], { streams: { input } })).toEqual({
    stdout: '',
    status: 6,
    stderr: [
      'api-key: there is no Secret Service here, because this session has no D-Bus',
      'api-key: hint: start the client from a desktop session, or name a file that holds the key with key-file',
      '',
    ].join('\n'),
  })
})
