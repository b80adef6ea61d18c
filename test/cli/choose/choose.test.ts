import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { type GatewayKind, gateways, type PeopleKind, people } from '../../../src/cli/choose/choices.ts'
import { chooseHelper, renderChoice, renderFiveLines } from '../../../src/cli/choose/choose-helper.ts'
import { renderChoosingPage } from '../../../src/cli/choose/render-page.ts'
import type { Cli } from '../../../src/cli/cli.ts'
import { checkOnEverySystem } from '../../../src/cli/helper-facts.ts'
import { readDocument } from '../../../src/config/read/document.ts'
import { createTestCli, runHere } from '../run-here.ts'

const gatewayKinds = Object.keys(gateways) as GatewayKind[] // the keys of a constant
const peopleKinds = Object.keys(people) as PeopleKind[] // the same
const pairs = gatewayKinds.flatMap((gateway) => peopleKinds.map((kind) => [gateway, kind] as const))

let cli: Cli
beforeAll(async () => {
  cli = (await createTestCli([])).cli
})

test('docs/choosing.md is up to date; if not, run `node pkg-scripts/docs/write-choosing-guide.ts`', () => {
  const page = readFileSync(new URL('../../../docs/choosing.md', import.meta.url), 'utf8')
  expect(page.slice(page.indexOf('## What the gateway takes'))).toBe(renderChoosingPage(cli.helpers))
})

describe.each(pairs)('%s and %s', (gateway, kind) => {
  test('lead to a document of five lines that gatepass config check accepts, or to a reason', async () => {
    const choice = chooseHelper({ gateway, people: kind, client: 'desktop' }, cli.helpers)
    if ('reason' in choice) {
      expect(renderChoice(choice)).toMatch(/^Nothing fits: .+\.\nInstead: .+\.\n$/)
      return
    }
    const text = renderFiveLines(choice.document!)
    expect(text.trim().split('\n')).toHaveLength(5)
    const findings = await checkOnEverySystem(cli, readDocument(Buffer.from(text)))
    expect(findings.filter(({ severity }) => severity !== 'info')).toEqual([])
  })
})

test('says in words or as JSON what fits', async () => {
  const flags = ['choose', '--gateway', 'key', '--people', 'key', '--client', 'desktop']
  expect(await runHere(flags)).toEqual({
    status: 0,
    stdout: `api-key

{"inference": {
  "provider": "gateway",
  "baseUrl": "https://gateway.example.com",
  "credential": {"kind":"helper-script","command":"/opt/gatepass/api-key"}
}}

- store the key on each machine: api-key store
`,
    stderr: '',
  })
  expect(JSON.parse((await runHere([...flags, '--json'])).stdout)).toMatchObject({ helper: 'api-key', args: [] })
  const none = ['choose', '--gateway', 'bedrock', '--people', 'openid', '--client', 'codex']
  expect(await runHere(none)).toMatchObject({
    status: 1,
    stderr: '',
    stdout: expect.stringContaining('Nothing fits: '),
  })
})

test('asks nobody where nobody can answer, and names what is missing', async () => {
  expect(await runHere(['choose', '--gateway', 'key'])).toEqual({
    status: 2,
    stdout: '',
    stderr:
      'gatepass: --people is missing, and nobody can be asked\ngatepass: hint: pass --people with one of aws, openid, workload, key, program; see: gatepass choose --help\n',
  })
})

test('asks three questions of a person, and again after a wrong answer', async () => {
  const { cli: own, written } = await createTestCli(['choose'])
  const answers = ['9', 'jwt', '2', 'kubernetes']
  const conversation = { ask: async () => answers.shift(), [Symbol.dispose]: () => {} }
  const { runCli } = await import('../../../src/cli/run-cli.ts')
  await runCli({ ...own, terminal: { ...own.terminal, startConversation: () => conversation } })
  expect(written).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^oidc-token\n\ngatepass config init --client kubernetes /),
  })
  expect(written.stderr).toContain('  there is no "9"\n')
})
