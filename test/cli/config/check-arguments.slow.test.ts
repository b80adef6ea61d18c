import { existsSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { importHelper, listHelpers, root } from '../../../pkg-scripts/tree.ts'
import { runCli } from '../../../src/cli/run-cli.ts'
import type { AnyHelper } from '../../../src/helper/define-helper.ts'
import { runHelper } from '../../../src/helper/run/run-helper.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { testHost } from '../../setup/test-host.ts'
import { createTestCli } from '../run-here.ts'

/** Arguments of a helper: those it works with, and what is added to them one at a time. */
interface Sets {
  readonly base: readonly string[]
  /** It may still get no token, for want of a network or of somebody who signs in. */
  readonly taken: readonly (readonly string[])[]
  /** No file, variable or network makes them right. */
  readonly refused: readonly (readonly string[])[]
}

/** The arguments that every helper takes or refuses. */
const common: Pick<Sets, 'taken' | 'refused'> = {
  taken: [
    [],
    ['--header', 'X-Team: blue'],
    ['--header', 'X-Team:blue', '--header', 'X-Floor: 4'],
    ['--client-ttl', '900'],
    ['--client-timeout=30'],
    ['--cache', 'none'],
    ['--format', 'token'],
    ['--not-before', '2026-01-15'],
    ['--log-file', '/dev/null/log'],
    ['--no-headers'],
  ],
  refused: [
    ['--header', 'Authorization: x'],
    ['--header', 'bad header'],
    ['--header', 'X-Api-Key: x'],
    ['--header', 'X Team: x'],
    ['--header', 'Content-Type: x'],
    ['--header', 'X-Team: ü'],
    ['--header', 'X-Team: {nothing}'],
    ['--header', 'X-Team: {second.token}'],
    ['--header', 'X-Team: a', '--header', 'x-team: b'],
    ['--client-ttl', 'soon'],
    ['--client-timeout', '1'],
    ['--cache', 'everywhere'],
    ['--not-before', 'yesterday'],
    ['--log-file', 'log'],
    ['--no-such-option'],
    ['stray'],
    ['--second-option', 'audience=x'],
    ['--second-helper', 'no-such-helper', '--header', 'X-Second: {second.token}'],
    ['--second-helper', 'api-key'],
    ['--second-helper', 'api-key', '--header', 'X-Second: {second.nothing}'],
    ['--second-helper', 'api-key', '--header', 'X-Second: {second.token}', '--second-option', 'format=token'],
    ['--second-helper', 'api-key', '--header', 'X-Second: {second.token}', '--second-option', 'key-variable=$KEY'],
  ],
}

const aws: Pick<Sets, 'taken' | 'refused'> = {
  taken: [
    ['--profile', 'dev'],
    ['--region', 'eu-west-3'],
    ['--sign-in', 'off'],
    ['--format', 'credential-process'],
  ],
  refused: [
    ['--region', 'Frankfurt am Main'],
    ['--watch', 'relative/file'],
    ['--sign-in', 'sometimes'],
  ],
}

const withoutKeys = ['--format', 'credential-process']
const platform = ['--base-url', 'http://127.0.0.1:1', '--organization', 'o', '--federation-rule', 'r']
const noPlatform = ['https://me:secret@api.example.com', 'ftp://api.example.com', 'not a url', 'http://api.example.com']

const sets: Readonly<Record<string, Sets>> = {
  'api-key': {
    base: ['--key-variable', 'GATEWAY_KEY'],
    taken: [
      ['--workspace', 'w'],
      ['--expires-at', '2027-01-01'],
    ],
    refused: [
      withoutKeys,
      ['--key-file', '/run/key'],
      ['--key-variable', '$GATEWAY_KEY'],
      ['--key-name', 'x'.repeat(101)],
      ['--workspace', 'wörk'],
      ['--expires-at', '31 January'],
    ],
  },
  'aws-bedrock-token': {
    base: [],
    taken: [...aws.taken, ['--lifetime', '900'], ['--service', 'aws-external-vendor', '--workspace', 'w']],
    refused: [
      ...aws.refused,
      ['--lifetime', '5'],
      ['--service', 's3'],
      ['--workspace', 'w'],
      ['--service', 'aws-external-vendor', '--workspace', 'wörk'],
    ],
  },
  'aws-caller-identity': {
    base: ['--audience', 'gateway'],
    taken: [...aws.taken, ['--form', 'vault'], ['--audience-header', 'X-Audience'], ['--prefix', 'none']],
    refused: [
      ...aws.refused,
      ['--audience', 'none', '--audience-header', 'X-Audience'],
      ['--audience', 'gätewäy'],
      ['--audience-header', 'Authorization'],
      ['--audience-header', 'X-Amz-Audience'],
      ['--audience-header', 'two words'],
      ['--prefix', 'two words'],
      ['--region', 'cn-north-1', '--sts-endpoint', 'global'],
    ],
  },
  'aws-identity-token': {
    base: ['--audience', 'https://gateway.example'],
    taken: [...aws.taken, ['--tag', 'team=blue'], ['--exchange', ...platform]],
    refused: [
      ...aws.refused,
      ['--tag', 'team'],
      ['--tag', 'team=a', '--tag', 'team=b'],
      ['--audience', 'x'.repeat(1001)],
      [...Array.from({ length: 10 }, (_, index) => ['--audience', `a${index}`]).flat()],
      ['--lifetime', '5'],
      ...noPlatform.map((url) => ['--exchange', ...platform, '--base-url', url]),
    ],
  },
  'aws-secret': {
    base: ['--secret', 'ai/key'],
    taken: [...aws.taken, ['--json-key', 'token'], ['--version-stage', 'AWSPENDING']],
    refused: [
      ...aws.refused,
      ['--parameter', '/ai/key'],
      ['--secret', 'two words'],
      ['--secret', 'arn:aws:s3:::bucket'],
      ['--secret', 'arn:aws:ssm:eu-central-1:111122223333:parameter/ai/key'],
    ],
  },
  'command-token': {
    base: ['--command', '/bin/echo', '--command', 'token-of-a-program'],
    taken: [
      ['--life', '900'],
      ['--output', 'first-line'],
      ['--watch', '~/none'],
      ['--watch-variable', 'ACCOUNT'],
    ],
    refused: [
      withoutKeys,
      ['--token-pointer', 'data/token'],
      ['--expiry-pointer', '/a~2'],
      ['--output', 'token', '--token-pointer', '/token'],
      ['--output', 'yaml'],
      ['--watch', 'relative/file'],
      ['--life', '0'],
    ],
  },
  'oidc-token': {
    base: ['--client-id', 'gatepass', '--issuer', 'https://id.example.com/t'],
    taken: [
      ['--issuer', 'http://127.0.0.1:1'],
      ['--bearer-token-type', 'access_token', '--scopes', 'api://gateway/use'],
      ['--redirect-path', '/callback'],
      ['--authorization-parameter', 'access_type=offline'],
      ['--exchange', 'token-exchange', '--exchange-audience', 'gateway'],
      ['--exchange', 'id-jag', '--exchange-issuer', 'https://as.example.com'],
      ['--exchange', 'platform', ...platform],
      ['--client-secret-file', '/run/secret', '--client-auth', 'basic'],
    ],
    refused: [
      withoutKeys,
      ...['login.example.com/t', 'ftp://id.example.com', 'not a url', 'http://id.example.com'].map((issuer) => [
        ...['--issuer', issuer],
      ]),
      ['--issuer', 'https://id.example.com/t?x=1'],
      ['--issuer', 'https://me:secret@id.example.com'],
      ['--issuer', 'https://id.example.com/.well-known/openid-configuration'],
      ['--token-url', 'https://id.example.com/token'],
      ['--scopes', 'ünclear'],
      ['--client-auth', 'basic'],
      ['--redirect-path', 'callback'],
      ['--redirect-port', '80'],
      ['--additional-redirect-referrer-hosts', 'https://login.example.com'],
      ['--authorization-parameter', 'offline'],
      ['--authorization-parameter', 'state=x'],
      ['--authorization-parameter', 'a=1', '--authorization-parameter', 'a=2'],
      ['--exchange-audience', 'gateway'],
      ['--exchange', 'token-exchange', '--exchange-url', 'http://as.example.com'],
      ['--exchange', 'token-exchange', '--exchange-url', 'as.example.com'],
      ['--exchange', 'token-exchange', '--exchange-resource', 'no address'],
      ['--exchange', 'token-exchange', '--exchange-scope', 'ünclear'],
      ['--exchange', 'token-exchange', '--exchange-requested-token-type', 'no type'],
      ['--exchange', 'token-exchange', '--exchange-parameter', 'audience=x'],
      ['--exchange', 'jwt-bearer', '--exchange-audience', 'x', '--exchange-url', 'https://as.example.com'],
      [
        '--exchange',
        'id-jag',
        '--exchange-issuer',
        'https://as.example.com',
        '--bearer-token-type',
        'access_token',
        '--scopes',
        'x',
      ],
      ...noPlatform.map((url) => ['--exchange', 'platform', ...platform, '--base-url', url]),
    ],
  },
  'workload-token': {
    base: [...platform, '--identity', 'variable', '--identity-variable', 'GATEWAY_KEY'],
    taken: [
      ['--identity', 'url', '--identity-url', 'http://127.0.0.1:1/token'],
      ['--identity', 'command', '--identity-command', 'no-such-program'],
      ['--identity', 'variable', '--identity-variable', 'NO_SUCH_VARIABLE'],
      // It is not looked at.
      ['--identity-url', 'not a url'],
    ],
    refused: [
      withoutKeys,
      ...noPlatform.map((url) => ['--base-url', url]),
      ...noPlatform.map((url) => ['--identity', 'url', '--identity-url', url]),
      ['--identity', 'command', '--identity-command', 'bin/token'],
      ['--identity', 'aws', '--audience', 'a', '--region', 'Frankfurt am Main'],
      ['--identity', 'moon'],
      ['--identity-file', 'token'],
    ],
  },
}

async function startWorld() {
  const home = await temporaryDirectory()
  await mkdir(join(home, '.aws'))
  await mkdir(join(home, 'machine'), { mode: 0o755 })
  await writeFile(
    join(home, '.aws/config'),
    '[profile dev]\nregion = eu-central-1\naws_access_key_id = AKIAEXAMPLE\naws_secret_access_key = example\n',
  )
  const env = {
    AWS_PROFILE: 'dev',
    AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
    AWS_MAX_ATTEMPTS: '1',
    GATEWAY_KEY: 'sk-key',
  }
  const names = listHelpers()
  const helpers = await Promise.all(names.map(async (name) => [name, await importHelper(name)] as const))
  const others = new Map(helpers.map(([name, helper]) => [name, async () => helper as AnyHelper]))
  return { home, env, others }
}

type World = Awaited<ReturnType<typeof startWorld>>

/** How a run ends, and what it says is wrong. */
async function run(name: string, argv: readonly string[], { home, env, others }: World) {
  const host = await testHost({ argv, home, env: { ...env, GATEPASS_CLIENT_TIMEOUT: '3' } })
  const { status } = await runHelper(name, await others.get(name)!(), host, { others })
  const [, said = ''] = new RegExp(`^${name}: (?!warning: )(.*)$`, 'm').exec(host.written.stderr) ?? []
  return { status, said }
}

/** What `config check` says of the arguments; `undefined` for nothing. */
async function check(name: string, args: readonly string[]): Promise<string | undefined> {
  const { cli, written } = await createTestCli(['config', 'check', '--json', '--os', 'linux', '-'])
  const credential = { kind: 'helper-script', command: `/opt/gatepass/${name}`, args, ttlSec: 900 }
  const document = { inference: { provider: 'gateway', baseUrl: 'https://gateway.example.com', credential } }
  const readInput = async function* () {
    yield Buffer.from(JSON.stringify(document))
  }
  await runCli({ ...cli, terminal: { ...cli.terminal, readInput } })
  const { findings } = JSON.parse(written.stdout) as { findings: { code: string; message: string }[] }
  const own = findings.find(({ code }) => code === 'helper-arguments')
  return own?.message.replace('the helper gives no token with them: ', '')
}

/** A helper without sets of its own works with the arguments on its page; another test asks for the page. */
function readSets(name: string): Sets[] {
  const path = join(root, 'docs', 'helpers', `${name}.md`)
  if (!existsSync(path)) return []
  const [, document = ''] = /```json\n(\{\n[^`]*"helper-script"[^`]*)```/.exec(readFileSync(path, 'utf8')) ?? []
  return [{ base: JSON.parse(document).inference.credential.args, taken: [], refused: [] }]
}

const all = listHelpers().flatMap((name) =>
  [sets[name] ?? readSets(name)].flat().map(({ base, taken, refused }) => ({
    name,
    taken: [...common.taken, ...taken].map((more) => [...base, ...more]),
    refused: [...common.refused, ...refused].map((more) => [...base, ...more]),
  })),
)

test('more than 300 argument sets name an existing helper', () => {
  expect(Object.keys(sets).filter((name) => !listHelpers().includes(name))).toEqual([])
  expect(all.flatMap(({ taken, refused }) => [...taken, ...refused]).length).toBeGreaterThan(300)
})

test.each(all)('the check of a document and a run of $name take the same arguments', async ({ name, taken }) => {
  const world = await startWorld()
  const disagreements: unknown[] = []
  for (const args of taken) {
    const [ran, found] = [await run(name, args, world), await check(name, args)]
    if (found !== undefined || ran.status === 2) disagreements.push({ args, ran, found })
  }
  expect(disagreements).toEqual([])
})

test.each(all)('the check of a document and a run of $name refuse the same arguments', async ({ name, refused }) => {
  const world = await startWorld()
  const disagreements: unknown[] = []
  for (const args of refused) {
    const [ran, found] = [await run(name, args, world), await check(name, args)]
    if (found === undefined || ran.said === '' || !found.includes(ran.said)) disagreements.push({ args, ran, found })
  }
  expect(disagreements).toEqual([])
})
