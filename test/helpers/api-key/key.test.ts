import { chmod, mkdir, readdir, rename, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { toContextVariables } from '../../../src/contract/detect-context.ts'
import { isRoot, nobody } from '../../setup/unprivileged.ts'
import { canary, failure, inDays, printed, program, startDesk } from './desk.ts'

const terminal = { streams: { attached: () => 'terminal' as const } }

test('a key is printed from a file, with line break or byte order mark, and is never written to disk', async () => {
  const { home, run, put } = await startDesk()
  const outcomes = [await run(await put(`${canary}\n`)), await run(await put(`\uFEFF${canary}\r\n`))]
  const names = await readdir(join(home, '.cache', 'gatepass'))
  expect({ outcomes, kept: names.filter((name) => !name.endsWith('.lock')) }).toEqual({
    outcomes: Array(2).fill(printed({ token: canary })),
    kept: [],
  })
})

test('a key is printed only from the variable that is named', async () => {
  const { run } = await startDesk()
  const argv = ['--key-variable', 'TEAM_KEY']
  expect(await run(argv, { env: { TEAM_KEY: canary } })).toEqual(printed({ token: canary }))
  expect(await run(argv, { env: { VENDOR_API_KEY: canary, TEAM_KEY: '' } })).toEqual(
    failure(
      'not-configured',
      'there is no key in the variable TEAM_KEY',
      'set TEAM_KEY to the key alone where the client is started',
    ),
  )
})

test('a workspace is sent as the header of the platform, and headers may use what is known of the key', async () => {
  const { run, put } = await startDesk()
  const key = await put(JSON.stringify({ token: canary, expiresAt: inDays(90) }))
  expect(await run([...key, '--workspace', 'wrkspc_1', '--header', 'X-Until: {expires_at}'])).toEqual(
    printed({ token: canary, headers: { 'vendor-workspace-id': 'wrkspc_1', 'X-Until': inDays(90) } }),
  )
})

test.each<[text: string, problem: string]>([
  ['\n', 'is empty'],
  [`${canary}\nsecond`, 'has line breaks in it'],
  [`"${canary}"`, 'is in quotes'],
  [`\u201c${canary}\u201d`, 'is in quotes'],
  [`export VENDOR_API_KEY=${canary}`, 'begins with the name of a variable'],
  [`x-api-key: ${canary}`, 'begins with the name of a header'],
  ['host=git.example', 'is a request of Git: have Git start it with --format git'],
  [`Bearer ${canary}`, 'begins with "Bearer", which the client adds itself'],
  [`${canary} `.repeat(2), 'has spaces or characters beyond ASCII in it'],
  [`${canary}\u200b`, 'has spaces or characters beyond ASCII in it'],
  ['YOUR_API_KEY', 'is a placeholder, which somebody meant to replace'],
  ['sk-vendor-xxxxxxxx', 'is a placeholder, which somebody meant to replace'],
  ['a1'.repeat(32_769), 'is longer than any key'],
  ['{"token"', 'begins like JSON, but is not an object with "token"'],
  ['{"token":1}', 'begins like JSON, but is not an object with "token"'],
  [`{"token":"${canary}","expiresAt":"soon"}`, 'has a date that is not valid: write it as "2026-01-15T12:00:00Z"'],
])('%j in the file is not a key', async (text, problem) => {
  const { path, run, put } = await startDesk()
  expect(await run(await put(text))).toEqual(
    failure(
      'not-configured',
      `the key in the file ${path} ${problem}`,
      `store the key: ${program} store --key-file '${path}'`,
    ),
  )
})

const closeIt = "run: chmod 600 'PATH'; if somebody may have read it, have the key replaced"
const others = 'DIRECTORY can be written by other users, who could put another key there'

test.each<[what: string, spoil: (path: string) => Promise<unknown>, message: string, hint: string]>([
  [
    'missing',
    (path) => rename(path, `${path}.old`),
    'there is no key in the file PATH',
    `store the key: ${program} store --key-file 'PATH'`,
  ],
  ['readable by others', (path) => chmod(path, 0o644), 'PATH can be read by other users', closeIt],
  ['readable by a group', (path) => chmod(path, 0o640), 'PATH can be read by other users', closeIt],
  ['writable by others', (path) => chmod(path, 0o602), 'PATH can be written by other users', closeIt],
  [
    'in a directory that others may write',
    (path) => chmod(dirname(path), 0o770),
    others,
    "keep the key in another directory, or run: chmod go-w 'DIRECTORY'",
  ],
  [
    'in a directory that is meant for everybody',
    (path) => chmod(dirname(path), 0o1777),
    others,
    'keep the key in a directory of your own',
  ],
  [
    'a link',
    async (path) => {
      await rename(path, `${path}.old`)
      await symlink(`${path}.old`, path)
    },
    'PATH is a link',
    'name the file itself',
  ],
  [
    'a directory',
    async (path) => {
      await rename(path, `${path}.old`)
      await mkdir(path)
    },
    'PATH is not a file',
    'name the file that holds the key',
  ],
])('a file that is %s is refused', async (_, spoil, message, hint) => {
  const { path, run, put } = await startDesk()
  const argv = await put(canary)
  await spoil(path)
  const [said = '', way = ''] = [message, hint].map((text) =>
    text.replace('PATH', path).replace('DIRECTORY', dirname(path)),
  )
  expect(await run(argv)).toEqual(failure('not-configured', said, way))
})

test.runIf(isRoot)('a file of root that others may read is given to its user first', async () => {
  const { path, run, put } = await startDesk()
  const argv = [...(await put(canary)), '--cache', 'none']
  await chmod(path, 0o644)
  const user = vi.spyOn(process, 'geteuid').mockReturnValue(nobody)
  onTestFinished(() => user.mockRestore())
  const way = `make the user who runs this its owner, and run: sudo chmod 600 '${path}'`
  expect(await run(argv)).toEqual(
    failure(
      'not-configured',
      `${path} can be read by other users`,
      `${way}; if somebody may have read it, have the key replaced`,
    ),
  )
})

const readable = [
  'an argument looks like a key, and others on this machine can read arguments',
  `have that key replaced; to see how to give a secret, run: ${program} --help`,
] as const

test.each<[argv: string[], message: string, hint: string]>([
  [['--key-file', '/k', '--key-variable', 'K'], 'key-file and key-variable are both set', 'set one of the two'],
  [['--key-variable', '$K'], 'key-variable is not the name of a variable', 'write the name alone, without "$" and "="'],
  [
    ['--workspace', 'a\nb'],
    'workspace: the value of "vendor-workspace-id" has a character beyond visible ASCII and spaces',
    'correct the setting workspace',
  ],
  [
    ['--key-variable', canary],
    'key-variable looks like a key, but must only say where the key is',
    `have that key replaced, because others could read it here; then type or pipe the new one into: ${program} store`,
  ],
  [[canary], ...readable],
  [['store', `--key=${canary}`], ...readable],
])('%j is refused, and repeats no key', async (argv, message, hint) => {
  const { run } = await startDesk()
  expect(await run(argv)).toEqual(failure('usage', message, hint))
})

test('the warning of a near end is printed only on a terminal', async () => {
  const { path, run, put } = await startDesk()
  const argv = await put(JSON.stringify({ token: canary, expiresAt: inDays(6) }))
  expect([
    await run(argv),
    await run(argv, { ...terminal, env: toContextVariables('interactive') }),
    await run(argv, terminal),
  ]).toEqual([
    printed({ token: canary }),
    printed({ token: canary }),
    {
      ...printed({ token: canary }),
      stderr: `${program}: warning: the key expires at ${inDays(6)}, in 6 days; its life cannot be extended: have another key created, and store the key: ${program} store --key-file '${path}'\n`,
    },
  ])
})

test('a key whose end has passed is refused', async () => {
  const { path, run, put } = await startDesk()
  const expected = failure(
    'refused',
    `the key expired at ${inDays(-3)}, 3 days ago, and cannot be made valid again`,
    `have another key created, and store the key: ${program} store --key-file '${path}'`,
  )
  expect({
    byOption: await run([...(await put(canary)), '--expires-at', inDays(-3)]),
    inFile: await run(await put(JSON.stringify({ token: canary, expiresAt: inDays(-3) }))),
  }).toEqual({ byOption: expected, inFile: expected })
})
