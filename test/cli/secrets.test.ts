import { describe, expect, test } from 'vitest'
import { writeTemporary } from './run-gatepass.ts'
import { runHere } from './run-here.ts'

const canary = 'canary-6f1d0c'
const documentWithSecrets = (end: string) =>
  JSON.stringify({
    inference: {
      provider: 'gateway',
      baseUrl: `https://user:${canary}-url@gateway.example.com`,
      customHeaders: { 'X-Api-Token-Secret': `${canary}-header`, 'X-Route': 'a', Authorization: `Bearer ${canary}` },
      credential: { kind: 'static', apiKey: `${canary}${end}`, authScheme: `${canary}-scheme`, ttlSec: canary },
    },
  })

describe.each([
  ['check', (a: string) => ['check', a]],
  ['check --json', (a: string) => ['check', '--json', a]],
  ['check --here', (a: string) => ['check', '--here', '--client-version', '1.0', a]],
  ['check of it as another shape', (a: string) => ['check', '--shape', 'managed', a]],
  ['diff', (a: string, b: string) => ['diff', a, b]],
  ['diff --json', (a: string, b: string) => ['diff', '--json', a, b]],
])('gatepass config %s', (_name, argv) => {
  test('shows no secret of a document', async () => {
    const a = await writeTemporary('a.json', documentWithSecrets('-a'))
    const b = await writeTemporary('b.json', documentWithSecrets('-b'))
    const { status, stdout, stderr } = await runHere(['config', ...argv(a, b)])
    expect([status === 0 || status === 1, (stdout + stderr).includes(canary)]).toEqual([true, false])
  })
})

const findings = `\
gatepass: inference.baseUrl: the URL carries a user name or password (url-user-information)
gatepass: hint: remove everything between // and @
gatepass: inference.customHeaders.Authorization: "Authorization" belongs to the client and cannot be set (header-refused)
gatepass: hint: remove it: these headers are for routing, credentials come from the credential source
gatepass: inference.credential.authScheme: the client does not know this value (invalid-value)
gatepass: hint: use one of "bearer", "x-api-key"
gatepass: inference.customHeaders.X-Api-Token-Secret: this header carries a credential (credential-in-headers)
gatepass: hint: move it to the credential source; these headers are for routing
gatepass: warning: inference.credential.ttlSec: the credential's kind is "static", which does not read this field (other-kind)
gatepass: hint: remove it
`
const place = `\
install it with: sudo install -D -o root -g root -m 0644 FILE /etc/vendor-desktop/managed-settings.json
`

test.each([
  ['convert', 'flat', findings],
  ['export', 'linux', findings + place],
])('config %s --to %s shows secrets only in its document', async (command, form, told) => {
  const a = await writeTemporary('a.json', documentWithSecrets('-a'))
  const { status, stdout, stderr } = await runHere(['config', command, '--to', form, '--force', a])
  // With the names of a vendor there is no such warning.
  const withoutNames = stderr.replace(/^gatepass: the names in force are neutral.*\n.*\n/m, '')
  expect({ status, stdout, stderr: withoutNames }).toEqual({
    status: 1,
    stdout: [
      '{',
      '  "inferenceProvider": "gateway",',
      '  "inferenceCustomHeaders": {',
      '    "X-Api-Token-Secret": "canary-6f1d0c-header",',
      '    "X-Route": "a"',
      '  },',
      '  "inferenceCredentialKind": "static",',
      `  "inferenceGatewayApiKey": "${canary}-a"`,
      '}',
      '',
    ].join('\n'),
    stderr: told,
  })
})

test('a comparison says that a secret differs', async () => {
  const a = await writeTemporary('a.json', documentWithSecrets('-a'))
  const b = await writeTemporary('b.json', documentWithSecrets('-b').replace('"a"', '"b"'))
  expect(await runHere(['config', 'diff', a, b])).toEqual({
    status: 1,
    stderr: '',
    stdout: `inference.customHeaders
  - {"X-Api-Token-Secret":"[secret]","X-Route":"a"}
  + {"X-Api-Token-Secret":"[secret]","X-Route":"b"}
inference.credential.apiKey
  - "[secret]"
  + "[secret]"
`,
  })
})
