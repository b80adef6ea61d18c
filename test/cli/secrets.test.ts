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

test('a conversion shows secrets in its document only', async () => {
  const a = await writeTemporary('a.json', documentWithSecrets('-a'))
  for (const argv of [
    ['convert', '--to', 'flat', '--force'],
    ['export', '--to', 'linux', '--force'],
  ]) {
    const { stdout, stderr } = await runHere(['config', ...argv, a])
    expect(stdout).toBe(
      [
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
    )
    expect(stderr).not.toContain(canary)
  }
})

test('a comparison says that a secret differs', async () => {
  const a = await writeTemporary('a.json', documentWithSecrets('-a'))
  const b = await writeTemporary('b.json', documentWithSecrets('-b').replace('"a"', '"b"'))
  expect((await runHere(['config', 'diff', a, b])).stdout).toBe(`inference.customHeaders
  - {"X-Api-Token-Secret":"[secret]","X-Route":"a"}
  + {"X-Api-Token-Secret":"[secret]","X-Route":"b"}
inference.credential.apiKey
  - "[secret]"
  + "[secret]"
`)
})
