import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fails, prints } from '../../setup/run-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { documentWith, pipeToGatepass, runGatepass, writeTemporary } from '../run-gatepass.ts'

const nested = `${JSON.stringify(
  JSON.parse(
    documentWith({
      args: ['--profile', 'dev', '--client-ttl', '900'],
      ttlSec: 900,
      silentRefreshEnabled: false,
      awsEnv: { profile: 'dev' },
    }),
  ),
  undefined,
  2,
)}\n`

test('writes each form, and no message where nothing is lost', async () => {
  expect(await pipeToGatepass(nested, 'config', 'convert', '--to', 'managed', '-')).toEqual(
    prints(`{
  "inferenceProvider": "gateway",
  "inferenceGatewayBaseUrl": "https://gateway.example.com",
  "inferenceCredentialKind": "helper-script",
  "inferenceCredentialHelper": "/opt/gatepass/aws-bedrock-token",
  "inferenceCredentialHelperArgs": "[\\"--profile\\",\\"dev\\",\\"--client-ttl\\",\\"900\\"]",
  "inferenceCredentialHelperTtlSec": "900",
  "inferenceCredentialHelperSilentRefreshEnabled": "false",
  "inferenceCloudProfile": "dev"
}
`),
  )
})

test.each(['flat', 'managed', 'nested'])('a document that is converted to %s and back is the same', async (form) => {
  const there = await pipeToGatepass(nested, 'config', 'convert', '--to', form, '-')
  expect(await pipeToGatepass(there.stdout, 'config', 'convert', '--to', 'nested', '-')).toEqual(prints(nested))
})

test('keeps aside what it does not know, and says so', async () => {
  const path = await writeTemporary('more.json', documentWith({ bogus: 1 }))
  const { status, stdout, stderr } = await runGatepass('config', 'convert', '--to', 'flat', path)
  expect({ status, keys: Object.keys(JSON.parse(stdout)) }).toEqual({
    status: 0,
    keys: ['inferenceProvider', 'inferenceGatewayBaseUrl', 'inferenceCredentialKind', 'inferenceCredentialHelper'],
  })
  expect(
    stderr,
  ).toBe(`gatepass: warning: inference.credential.bogus: the client does not know this field and ignores it (unknown-field)
gatepass: hint: remove it, or check its spelling and its position
gatepass: warning: inference.credential.bogus: the other form has no known key for it, and it was left out (kept-aside)
gatepass: hint: add it by hand if it is needed
`)
})

test.each([
  ['a setting that is lost', documentWith({ ttlSec: 'x' }), []],
  ['a path that no system can start', documentWith({ command: '~/token' }), []],
  ['a path that Windows cannot start', documentWith({ commandWindows: 'C:\\%USERNAME%\\token.exe' }), []],
  ['a missing path', documentWith(), ['--os', 'windows']],
  ['a field that the client does not read', documentWith({ args: [] }), ['--client-version', '1.14271.0']],
])('an error keeps the result from being written: %s', async (_what, document, flags) => {
  const argv = ['config', 'convert', '--to', 'flat', ...flags, '-']
  const { status, stdout, stderr } = await pipeToGatepass(document, ...argv)
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr.split('\n').slice(-3)).toEqual([
    'gatepass: nothing was written, because of the errors',
    'gatepass: hint: correct the document, or pass --force to write it all the same',
    '',
  ])
})

test('--force writes the result and keeps the status', async () => {
  const argv = ['config', 'convert', '--to', 'flat', '--force', '-']
  expect(await pipeToGatepass(documentWith({ ttlSec: 'x' }), ...argv)).toEqual({
    status: 1,
    stdout: `{
  "inferenceProvider": "gateway",
  "inferenceGatewayBaseUrl": "https://gateway.example.com",
  "inferenceCredentialKind": "helper-script",
  "inferenceCredentialHelper": "/opt/gatepass/aws-bedrock-token"
}
`,
    stderr: `gatepass: inference.credential.ttlSec: expected a whole number, found text (wrong-type)
gatepass: hint: write a whole number, or remove the field
`,
  })
})

test.each(['export --to reg', 'convert --to flat --force', 'export --to linux --force'])(
  '%s writes nothing of a document of another provider',
  async (words) => {
    const foreign = '{"inference": {"provider": "cloud", "region": "x"}}'
    expect(await pipeToGatepass(foreign, 'config', ...words.split(' '), '-')).toEqual({
      status: 1,
      stdout: '',
      stderr: `gatepass: inference.provider: it names another provider than "gateway", and what it needs is not known here (not-exportable)
gatepass: hint: use that provider's own tools
gatepass: warning: inference.provider: it names another provider than "gateway", so nothing here was checked (foreign-provider)
gatepass: hint: for a gateway set it to "gateway"; otherwise see the documentation of that provider
gatepass: warning: inference: the other form has no known key for it, and it was left out (kept-aside)
gatepass: hint: add it by hand if it is needed
gatepass: nothing was written: another provider's document has no other form here
`,
    })
  },
)

test('spells a sign-in as the installed client reads it', async () => {
  const document = JSON.stringify({
    inferenceProvider: 'gateway',
    inferenceCredentialKind: 'interactive',
    inferenceGatewayBaseUrl: 'https://gateway.example.com',
    inferenceGatewayOidc: { clientId: 'x', issuer: 'https://id.example.com' },
  })
  const convert = async (...flags: string[]) => {
    const { stdout } = await pipeToGatepass(document, 'config', 'convert', ...flags, '-')
    return JSON.parse(stdout)
  }
  const old = ['--client-version', '2.7031.9']
  const modern = ['--client-version', '2.7032.0']
  expect(await convert('--to', 'flat', ...old)).toHaveProperty('inferenceGatewayOidc')
  expect(await convert('--to', 'flat', ...modern)).toHaveProperty('inferenceIdpOidc')
  expect(await convert('--to', 'nested', ...old)).toEqual({
    inference: {
      credential: { kind: 'interactive', oidc: { clientId: 'x', issuer: 'https://id.example.com' } },
      provider: 'gateway',
      baseUrl: 'https://gateway.example.com',
    },
    $schemaVersion: 2,
  })
  expect(await convert('--to', 'nested', ...modern)).toEqual({
    inference: {
      credential: { kind: 'external-idp', oidc: { clientId: 'x', issuer: 'https://id.example.com' } },
      provider: 'gateway',
      baseUrl: 'https://gateway.example.com',
    },
    $schemaVersion: 2,
  })
})

test('writes to a file with --out', async () => {
  const out = join(await temporaryDirectory(), 'flat.json')
  const outcome = await pipeToGatepass(nested, 'config', 'convert', '--to', 'nested', '--out', out, '-')
  expect(outcome).toEqual({ status: 0, stdout: '', stderr: '' })
  expect(await readFile(out, 'utf8')).toBe(nested)
})

test('names the file that cannot be written', async () => {
  const out = join(await temporaryDirectory(), 'missing', 'a.json')
  const outcome = await pipeToGatepass(nested, 'config', 'convert', '--to', 'flat', '--out', out, '-')
  expect(outcome).toEqual(fails('gatepass', 5, `${out} cannot be written (ENOENT)`, 'name another file with --out'))
})
