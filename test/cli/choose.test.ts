import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { renderChoosingPage } from '../../pkg-scripts/docs/choosing-page.ts'
import { checkOnEverySystem } from '../../src/cli/check-with-helper.ts'
import { chooseHelper, renderChoice } from '../../src/cli/choose-helper.ts'
import type { Cli } from '../../src/cli/cli.ts'
import { choices, type GatewayKind, gateways, type PeopleKind, people } from '../../src/cli/helper-choices.ts'
import { runCli } from '../../src/cli/run-cli.ts'
import { parseDocument } from '../../src/config/read/read-document.ts'
import { prints } from '../setup/run-program.ts'
import { createTestCli, runHere } from './run-here.ts'

const gatewayKinds = Object.keys(gateways) as GatewayKind[] // the keys of a constant
const peopleKinds = Object.keys(people) as PeopleKind[] // the same
const pairs = gatewayKinds.flatMap((gateway) => peopleKinds.map((kind) => [gateway, kind] as const))

let cli: Cli
beforeAll(async () => {
  cli = (await createTestCli([])).cli
})

test('docs/choosing.md is up to date; if not, run `node pkg-scripts/docs/write-choosing-guide.ts`', () => {
  const page = readFileSync(new URL('../../docs/choosing.md', import.meta.url), 'utf8')
  expect(page.slice(page.indexOf('## What the gateway takes'))).toBe(renderChoosingPage(cli.helpers))
})

test('each helper of the suite is the choice for somebody', () => {
  const chosen = pairs.map(([gateway, kind]) => choices[gateway][kind])
  const names = new Set(chosen.flatMap((choice) => ('helper' in choice ? [choice.helper] : [])))
  expect([...names].sort()).toEqual([...cli.helpers.keys()].sort())
})

const fitting = pairs.filter(([gateway, kind]) => 'helper' in choices[gateway][kind])

test.each(fitting)('%s and %s lead to a document of five lines that the check accepts', async (gateway, kind) => {
  const choice = chooseHelper({ gateway, people: kind, client: 'desktop' }, cli.helpers)
  const text = renderChoice(choice).split('\n\n')[1]!
  const findings = await checkOnEverySystem(cli, parseDocument(Buffer.from(text)))
  expect({
    lines: text.trim().split('\n').length,
    problems: findings.filter(({ severity }) => severity !== 'info'),
  }).toEqual({ lines: 5, problems: [] })
})

test.each(pairs.filter((pair) => !fitting.includes(pair)))('%s and %s lead to a reason', (gateway, kind) => {
  const choice = chooseHelper({ gateway, people: kind, client: 'desktop' }, cli.helpers)
  expect(renderChoice(choice).replaceAll(/(?<=: ).+(?=\.\n)/g, '…')).toBe('Nothing fits: ….\nInstead: ….\n')
})

const forKeys = ['choose', '--gateway', 'key', '--people', 'key', '--client', 'desktop']

test('prints the choice in words', async () => {
  expect(await runHere(forKeys)).toEqual(
    prints(`api-key

{"inference": {
  "provider": "gateway",
  "baseUrl": "https://gateway.example.com",
  "credential": {"kind":"helper-script","command":"/opt/gatepass/api-key"}
}}

- store the key on each machine: api-key store
`),
  )
})

test('prints the choice as JSON', async () => {
  expect(JSON.parse((await runHere([...forKeys, '--json'])).stdout)).toEqual({
    note: 'store the key on each machine: api-key store',
    notes: ['store the key on each machine: api-key store'],
    document: {
      inference: {
        provider: 'gateway',
        baseUrl: 'https://gateway.example.com',
        credential: { kind: 'helper-script', command: '/opt/gatepass/api-key' },
      },
    },
    helper: 'api-key',
    args: [],
  })
})

test('says why nothing fits, and what people could be given instead', async () => {
  const none = ['choose', '--gateway', 'bedrock', '--people', 'openid', '--client', 'codex']
  expect(await runHere(none)).toEqual({
    status: 1,
    stderr: '',
    stdout: [
      'Nothing fits: AWS verifies its own identities alone.',
      'Instead: give people an AWS profile, which IAM Identity Center does with your provider (--people aws).',
      '',
    ].join('\n'),
  })
})

test('names the missing flags where nobody can be asked', async () => {
  expect(await runHere(['choose', '--gateway', 'key'])).toEqual({
    status: 2,
    stdout: '',
    stderr:
      'gatepass: --people is missing, and nobody can be asked\ngatepass: hint: pass --people with one of aws, openid, workload, key, program; see: gatepass choose --help\n',
  })
})

/** Runs `gatepass choose` with a person who gives these answers, and then ends the input. */
async function chooseWith(flags: readonly string[], answers: readonly string[]) {
  const { cli: own, written } = await createTestCli(['choose', ...flags])
  const rest = [...answers]
  const conversation = { ask: async () => rest.shift(), [Symbol.dispose]: () => {} }
  await runCli({ ...own, terminal: { ...own.terminal, startConversation: () => conversation } })
  return { ...written, rest }
}

test('asks three questions of a person, and again after a wrong answer', async () => {
  const { stderr, ...outcome } = await chooseWith([], ['9', 'jwt', '2', 'kubernetes'])
  expect({ ...outcome, corrections: stderr.match(/^ *there is no .*$/gm) }).toEqual({
    corrections: ['  there is no "9"'],
    rest: [],
    status: 0,
    stdout: [
      'oidc-token',
      '',
      'gatepass config init --client kubernetes --helper oidc-token --base-url https://gateway.example.com --arg=--client-id --arg=CLIENT-ID --arg=--issuer --arg=https://id.example.com --arg=--refresh-token-store --arg=file',
      '',
      '- register a public client with the provider (docs/providers.md)',
      '- sign in by hand, because this client lets nobody be asked: oidc-token sign-in',
      '',
    ].join('\n'),
  })
})

const known = ['--gateway', 'key', '--client', 'desktop']

// The five kinds of identities that people have where the gateway takes keys: aws, openid, workload, key or program, in this order.
test.each<[what: string, flags: string[], answers: string[], helper: string, rest: string[]]>([
  ['its flag, and no person is asked', [...known, '--people', 'aws'], ['key'], 'aws-secret', ['key']],
  [
    'its flag, while a person is asked for another',
    ['--people', 'aws', '--client', 'desktop'],
    ['key'],
    'aws-secret',
    [],
  ],
  ['the name that a person types', known, ['key', '5'], 'api-key', ['5']],
  ['the number that a person types', known, ['5', 'key'], 'command-token', ['key']],
  ['a person, once the answer is right', known, ['6', '0', 'kei', 'key'], 'api-key', []],
])('an answer comes from %s', async (_, flags, answers, helper, rest) => {
  const { status, stdout, rest: left } = await chooseWith(flags, answers)
  expect({ status, helper: stdout.split('\n')[0], rest: left }).toEqual({ status: 0, helper, rest })
})

test('a person who ends the input is told which flag is missing', async () => {
  expect(await chooseWith(known, ['6'])).toEqual({
    rest: [],
    status: 2,
    stdout: '',
    stderr: `What do people have?
  1  aws             an AWS profile, of any kind
  2  openid          an account with an OpenID provider: Entra ID, Okta, Google, Keycloak, …
  3  workload        no person: a workload with an identity, as in CI, Kubernetes or a cloud
  4  key             a static key that somebody hands out
  5  program         another program that prints a token, such as gcloud, az, vault or a script
  there is no "6"
gatepass: --people is missing, and nobody can be asked
gatepass: hint: pass --people with one of aws, openid, workload, key, program; see: gatepass choose --help
`,
  })
})
