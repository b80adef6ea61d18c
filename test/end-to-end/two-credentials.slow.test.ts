import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { importHelper, listHelpers, root } from '../../pkg-scripts/tree.ts'
import { runHelper } from '../../src/helper/run/run-helper.ts'
import { testHost, testNow } from '../setup/test-host.ts'
import { type DoorRule, startDoor } from './two-credentials-door.ts'

const page = await readFile(join(root, 'docs', 'two-credentials.md'), 'utf8')

/** The recipes of the page, each with the helper whose file it is. */
const recipes = new Map(
  page
    .slice(page.indexOf('## Recipes'))
    .split(/^### /m)
    .slice(1)
    .map((section) => {
      const [, helper = '', file = ''] = /file of `([\w-]+)`[\s\S]*?```json\n([\s\S]*?)```/.exec(section) ?? []
      return [section.split('\n')[0] ?? '', { helper, file }] as const
    }),
)

/** Returns a token of a made-up program, which lives for two hours. */
const jwt = (sub: string) =>
  ['{"alg":"none"}', JSON.stringify({ sub, exp: testNow / 1000 + 7200 }), 'signature']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.')

/** The output of the stand-ins of the programs, by the words that they are started with. */
const programs: Readonly<Record<string, string>> = {
  'gcloud auth print-identity-token --audiences=1234.apps.googleusercontent.com': jwt('google'),
  'pass show cloudflare/access-secret': 'access-secret',
  'cloudflared access token --app=https://gateway.example': jwt('cloudflare'),
  'az account get-access-token --resource api://gateway': JSON.stringify({
    accessToken: jwt('entra'),
    expires_on: testNow / 1000 + 7200,
    tokenType: 'Bearer',
  }),
  'op read op://ai/gateway/key': 'subscription-key',
  'op read op://ai/provider/key': 'provider-key',
  'databricks auth token --host https://dbc-1234.cloud.databricks.com': JSON.stringify({
    access_token: jwt('databricks'),
    token_type: 'Bearer',
    expiry: new Date(testNow + 7_200_000).toISOString(),
  }),
}

const bedrock = /^Bearer bedrock-api-key-[\w=]+$/
const exactly = (value: string) => new RegExp(`^${RegExp.escape(value)}$`)

test.each<[recipe: string, door: DoorRule]>([
  [
    "Google's Identity-Aware Proxy",
    { first: bedrock, second: { 'proxy-authorization': exactly(`Bearer ${jwt('google')}`) } },
  ],
  [
    'Cloudflare Access, with a service token',
    {
      first: bedrock,
      second: { 'cf-access-client-id': /^88bf3b6d\.access$/, 'cf-access-client-secret': /^access-secret$/ },
    },
  ],
  ['Cloudflare Access, as a person', { first: bedrock, second: { 'cf-access-token': exactly(jwt('cloudflare')) } }],
  [
    'Azure API Management',
    { first: exactly(`Bearer ${jwt('entra')}`), second: { 'ocp-apim-subscription-key': /^subscription-key$/ } },
  ],
  [
    "Databricks, with a provider's own credential",
    {
      first: /^Bearer provider-key$/,
      second: {
        'x-databricks-ai-gateway-token': exactly(`Bearer ${jwt('databricks')}`),
        'databricks-model-provider-service': /^main\.default\.provider$/,
      },
    },
  ],
])('%s is opened only by both credentials together', async (recipe, rule) => {
  const { helper = '', file = '' } = recipes.get(recipe) ?? {}
  const { token, headers } = await printBoth(helper, file)
  const url = await startDoor(rule)
  const knock = async (sent: Record<string, string>) => (await fetch(url, { headers: sent })).status
  const authorization = `Bearer ${token}`
  expect(await knock({ authorization, ...headers })).toBe(200)
  expect(await knock({ authorization })).toBe(401)
  expect(await knock(headers)).toBe(401)
})

test('every recipe of the page is tested here', () => {
  expect([...recipes.keys()]).toHaveLength(5)
})

/** Runs a helper with a recipe as its user's file, on a machine with the stand-ins of the programs. */
async function printBoth(name: string, file: string): Promise<{ token: string; headers: Record<string, string> }> {
  const plain = await testHost()
  const bin = await writePrograms(plain.home)
  const directory = join(plain.home, '.config', 'gatepass')
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const { locked: _, ...settings } = JSON.parse(file)
  await writeFile(join(directory, `${name}.json`), JSON.stringify(settings), { mode: 0o600 })
  const keys = { AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'example', AWS_REGION: 'eu-central-1' }
  const env = { HOME: plain.home, PATH: `${bin}:/usr/bin:/bin`, ...keys }
  const host = await testHost({ home: plain.home, env })
  const others = new Map(listHelpers().map((other) => [other, () => importHelper(other)]))
  const { status } = await runHelper(name, await importHelper(name), host, { others })
  expect({ status, stderr: host.written.stderr }).toEqual({ status: 0, stderr: '' })
  return JSON.parse(host.written.stdout)
}

async function writePrograms(home: string): Promise<string> {
  const bin = join(home, 'bin')
  await mkdir(bin)
  for (const name of new Set(Object.keys(programs).map((line) => line.split(' ')[0]!))) {
    const cases = Object.entries(programs).map(([line, printed]) => `'${line}') echo '${printed}' ;;`)
    await writeFile(join(bin, name), `#!/bin/sh\ncase "${name} $*" in\n${cases.join('\n')}\n*) exit 64 ;;\nesac\n`)
    await chmod(join(bin, name), 0o755)
  }
  return bin
}
