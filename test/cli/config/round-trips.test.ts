import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import { pipeHere } from '../run-here.ts'

/** Runs a command of `gatepass config` in this process with this document as its input. */
const pipe = (document: string, ...argv: readonly string[]) => pipeHere(document, ['config', ...argv, '-'])

const helper = { kind: 'helper-script', command: '/opt/gatepass/aws-bedrock-token' }
const onWindows = { commandWindows: 'C:\\Program Files\\Gatepass\\aws-bedrock-token.exe' }
const provider = { clientId: 'gatepass', issuer: 'https://id.example.com' }

const credentials: readonly object[] = [
  helper,
  { ...helper, ...onWindows },
  { ...helper, args: ['--profile', 'dev', '--client-ttl', '900'], ttlSec: 900 },
  { ...helper, ...onWindows, args: ['--header', 'X-Team: blue'] },
  { ...helper, awsEnv: { profile: 'dev' } },
  { ...helper, awsEnv: { profile: 'dev', awsDir: '/opt/aws' } },
  { ...helper, awsEnv: { awsCliPath: '/usr/local/bin/aws' } },
  { ...helper, ...onWindows, awsEnv: { awsDir: '/opt/aws' } },
  { ...helper, ...onWindows, awsEnv: { awsDir: 'C:\\aws', profile: 'dev' } },
  { ...helper, timeoutSec: 60, silentRefreshEnabled: false },
  { ...helper, command: '/usr/local/bin/own-helper', args: ['a b', "it's", 'ü'] },
  { kind: 'static', apiKey: 'sk-key-of-a-test' },
  { kind: 'static', apiKey: 'sk-key-of-a-test', authScheme: 'x-api-key' },
  { kind: 'interactive' },
  { kind: 'interactive', authFlow: 'browser' },
  { kind: 'external-idp', oidc: provider },
  {
    kind: 'external-idp',
    oidc: { ...provider, issuer: 'https://id.example.com/realms/acme', resource: 'https://g.example' },
  },
  { kind: 'external-idp', oidc: { ...provider, bearerTokenType: 'access_token', scopes: 'api://gateway/use' } },
]

const gateways: readonly object[] = [
  {},
  { customHeaders: { 'X-Team': 'blue' } },
  { sessionLifetimeSec: 86_400 },
  { customHeaders: { 'X-Team': 'blue', 'X-Floor': '4' }, sessionLifetimeSec: 43_200 },
]

const documents = credentials.flatMap((credential) =>
  gateways.map((more) => ({
    $schemaVersion: 2,
    inference: { provider: 'gateway', baseUrl: 'https://gateway.example.com', ...more, credential },
  })),
)

test('every document that the check lets pass converts to each form, and back to itself', async () => {
  const failures: unknown[] = []
  let trips = 0
  for (const document of documents) {
    const text = JSON.stringify(document)
    const checked = await pipe(text, 'check')
    if (checked.status !== 0) failures.push({ document, checked })
    for (const form of ['flat', 'managed', 'nested']) {
      const there = await pipe(text, 'convert', '--to', form)
      const shape = form === 'managed' ? ['--shape', 'managed'] : []
      const back = await pipe(there.stdout, 'convert', '--to', 'nested', ...shape)
      const isSame = back.status === 0 && isDeepStrictEqual(JSON.parse(back.stdout), document)
      if (there.status !== 0 || !isSame) failures.push({ document, form, there, back })
      trips += 1
    }
  }
  expect({ failures, areMany: trips >= 160 }).toEqual({ failures: [], areMany: true })
})

const forTwoSystems = JSON.stringify({
  inference: {
    provider: 'gateway',
    baseUrl: 'https://gateway.example.com',
    credential: { ...helper, ...onWindows, awsEnv: { awsDir: '/opt/aws' } },
  },
})

test('a directory of one system in a document for two is one warning of the check', async () => {
  const { status, stdout } = await pipe(forTwoSystems, 'check', '--json')
  const { findings } = JSON.parse(stdout) as { findings: { severity: string }[] }
  expect({ status, findings: findings.filter(({ severity }) => severity !== 'info') }).toEqual({
    status: 0,
    findings: [
      {
        path: 'inference.credential.awsEnv.awsDir',
        code: 'path-of-one-system',
        severity: 'warning',
        message: 'it is a path of macOS and Linux, and the document has a helper for Windows too',
        hint: 'give Windows a document of its own, or remove it',
        line: 1,
        column: 237,
      },
    ],
  })
})

test('a directory of one system in a document for two is one warning of the conversion', async () => {
  const { status, stderr } = await pipe(forTwoSystems, 'convert', '--to', 'flat')
  expect({ status, stderr }).toEqual({
    status: 0,
    stderr: `gatepass: warning: inference.credential.awsEnv.awsDir: it is a path of macOS and Linux, and the document has a helper for Windows too (path-of-one-system)
gatepass: hint: give Windows a document of its own, or remove it
`,
  })
})
