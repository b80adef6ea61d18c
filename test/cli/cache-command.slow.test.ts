import { chmod, link, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type CountableSource, startCountableSource } from '../cache/countable-source.ts'
import { cacheIn, editEntries, listCache, startRun, tokenOf } from '../cache/start-run.ts'
import { runBundle } from '../setup/run-bundle.ts'
import { type Outcome, prints } from '../setup/run-program.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { toStableText, toStableValue } from '../setup/to-stable-text.ts'

const gatepass = (home: string, ...argv: string[]): Promise<Outcome> =>
  runBundle('gatepass', { argv: ['cache', ...argv], env: { HOME: home } })
const list = async (home: string) => toStableValue(await gatepass(home, 'list'))

/** The identity and the options from which the tokens of these tests are minted. */
const uses = [
  'profile "build": assumes arn:aws:iam::444455556666:role/build with',
  'profile "dev": access key AKIASTANDIN000000001',
  'region eu-central-1',
  'STS at http://127.0.0.1:PORT, by AWS_ENDPOINT_URL_STS',
  'SSO at http://127.0.0.1:PORT, by AWS_ENDPOINT_URL_SSO',
  'SSO_OIDC at http://127.0.0.1:PORT, by AWS_ENDPOINT_URL_SSO_OIDC',
  'SIGNIN at http://127.0.0.1:PORT, by AWS_ENDPOINT_URL_SIGNIN',
  'SECRETS_MANAGER at http://127.0.0.1:PORT, by AWS_ENDPOINT_URL_SECRETS_MANAGER',
  'SSM at http://127.0.0.1:PORT, by AWS_ENDPOINT_URL_SSM',
  'header = 1 given (argument)',
  'profile = build (argument)',
  'aws-chain = auto (default)',
  'service = bedrock (default)',
  'lifetime = 3600 (argument)',
]
const usedLines = uses.map((line) => `    ${line}\n`).join('')

describe('with tokens of aws-bedrock-token', () => {
  const helper = 'aws-bedrock-token'
  const keep = async (source: CountableSource, key = 0) =>
    tokenOf((await startRun(helper, source, { key }).outcome).stdout)

  test('list shows the source and the life of each token without the token', async () => {
    const source = await startCountableSource(helper)
    await keep(source)
    expect(await list(source.home)).toEqual(
      prints(`\
${helper}  59 min left
${usedLines}    minted DATE (interactive), expires DATE
`),
    )
  })

  test('list --json prints the same as JSON', async () => {
    const source = await startCountableSource(helper)
    await keep(source)
    const { stdout } = await gatepass(source.home, 'list', '--json', '--helper', helper)
    expect(JSON.parse(toStableText(stdout))).toEqual([
      {
        helper,
        uses,
        context: 'interactive',
        minted: 'DATE',
        expires: 'DATE',
        remainingSec: expect.toSatisfy((left: number) => left > 3_500 && left <= 3_600),
        path: `TEMPORARY/.cache/gatepass/${helper}-KEY.json`,
      },
    ])
  })

  test('list shows tokens that have expired, and files that it cannot read', async () => {
    const source = await startCountableSource(helper)
    await keep(source)
    await editEntries(source, (entry) => ({ ...entry, expiresAt: Date.now() - 1 }))
    expect(await list(source.home)).toEqual({
      status: 0,
      stderr: '',
      stdout: `\
${helper}  has expired
${usedLines}    minted DATE (interactive), expires DATE
`,
    })
    await editEntries(source, (entry) => ({ ...entry, format: 1 }))
    expect(await list(source.home)).toEqual({
      status: 0,
      stderr: '',
      stdout: `\
${helper}  not readable by this version
    TEMPORARY/.cache/gatepass/${helper}-KEY.json
`,
    })
  })

  test('clear removes and counts every token', async () => {
    const source = await startCountableSource(helper)
    for (const key of [1, 2]) await keep(source, key)
    await writeFile(join(cacheIn(source), `${helper}-abc.tmp`), '{"tok')
    const first = await gatepass(source.home, 'clear')
    const left = (await listCache(source)).filter((name) => !name.endsWith('.lock'))
    const second = await gatepass(source.home, 'clear')
    await keep(source, 1)
    expect({ first, left, second, mints: source.mints() }).toEqual({
      first: prints(`2 tokens removed from ${cacheIn(source)}.\n`),
      left: [],
      second: prints(`0 tokens removed from ${cacheIn(source)}.\n`),
      mints: 3,
    })
  })

  test('clear removes outcomes that were not sent, unless --helper names one', async () => {
    const source = await startCountableSource(helper)
    await keep(source)
    const files = ['outcomes.claimed-all-1-2-0', 'outcomes.kept-otlp', 'outcomes.spool', 'outcomes.turn-1']
    for (const name of files) await writeFile(join(cacheIn(source), name), '{"lost":1}\n')
    const outcomes = async () => (await listCache(source)).filter((name) => name.startsWith('outcomes.')).sort()
    await gatepass(source.home, 'clear', '--helper', helper)
    const kept = await outcomes()
    const cleared = await gatepass(source.home, 'clear')
    expect({ kept, cleared, left: await outcomes() }).toEqual({
      kept: files,
      cleared: prints(`0 tokens removed from ${cacheIn(source)}.\n`),
      left: [],
    })
  })

  test('clear --helper leaves the tokens of others', async () => {
    const source = await startCountableSource(helper)
    await keep(source)
    await writeFile(join(cacheIn(source), 'another-helper-abc.json'), '{}')
    const { stdout } = await gatepass(source.home, 'clear', '--helper', helper)
    expect(stdout).toBe(`1 token removed from ${cacheIn(source)}.\n`)
    expect((await listCache(source)).filter((name) => name.endsWith('.json'))).toEqual(['another-helper-abc.json'])
  })

  test('clear overwrites a token that another process has open', async () => {
    const source = await startCountableSource(helper)
    await keep(source)
    const name = (await listCache(source)).find((file) => file.endsWith('.json')) ?? ''
    const second = join(source.home, 'another name of the same file')
    await link(join(cacheIn(source), name), second)
    await gatepass(source.home, 'clear')
    expect((await readFile(second)).every((byte) => byte === 0)).toBe(true)
  })
})

test('without a cache nothing is listed, and no directory is created', async () => {
  const home = await temporaryDirectory()
  const directory = join(home, '.cache', 'gatepass')
  const runs = [await gatepass(home, 'list'), await gatepass(home, 'list', '--json'), await gatepass(home, 'clear')]
  expect({ runs, files: await readdir(home) }).toEqual({
    runs: [`Nothing is kept in ${directory}.\n`, '[]\n', `0 tokens removed from ${directory}.\n`].map((text) =>
      prints(text),
    ),
    files: [],
  })
})

test('a link in the cache is removed, and its target stays', async () => {
  const home = await temporaryDirectory()
  const directory = join(home, '.cache', 'gatepass')
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await writeFile(join(home, 'target'), 'untouched')
  await symlink(join(home, 'target'), join(directory, 'aws-bedrock-token-abc.json'))
  expect((await gatepass(home, 'clear')).stdout).toBe(`1 token removed from ${directory}.\n`)
  expect(await readFile(join(home, 'target'), 'utf8')).toBe('untouched')
})

test('a cache that others can write is refused with a command that shows it', async () => {
  const home = await temporaryDirectory()
  const directory = join(home, '.cache', 'gatepass')
  await mkdir(directory, { recursive: true })
  await chmod(directory, 0o777)
  const refused = {
    status: 5,
    stdout: '',
    stderr: `gatepass: cannot use the token cache: ${directory} can be written by other users (run: chmod go-w '${directory}')\ngatepass: hint: look at it with: ls -ld '${directory}'\n`,
  }
  expect(await gatepass(home, 'list')).toEqual(refused)
  expect(await gatepass(home, 'clear')).toEqual(refused)
})

test('an unknown helper is a usage error', async () => {
  expect(await gatepass('/nonexistent', 'clear', '--helper', 'no-such')).toEqual({
    status: 2,
    stdout: '',
    stderr: `gatepass: option '--helper <name>' argument 'no-such' is invalid. Allowed choices are api-key, aws-bedrock-token, aws-caller-identity, aws-identity-token, aws-secret, command-token, oidc-token, workload-token.
gatepass: hint: see: gatepass cache clear --help
`,
  })
})
