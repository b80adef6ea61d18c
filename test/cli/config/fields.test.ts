import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { documentWith } from '../run-gatepass.ts'
import { runHere } from '../run-here.ts'

/** Finds the lines about one field: its name, and those below it that are indented. */
function findField(stdout: string, name: string): string | undefined {
  return stdout.split(/^(?=\S)/m).find((field) => field.split(/[ \n]/, 1)[0] === name)
}

describe('gatepass config fields', () => {
  test('lists each field with its rule, its release, its flat key and what it asks', async () => {
    const { status, stdout, stderr } = await runHere(['config', 'fields', '--kind', 'external-idp'])
    const fields = ['inference.baseUrl', 'inference.credential.oidc.redirectPort'].map((name) =>
      findField(stdout, name),
    )
    expect({ status, stderr, fields, kinds: new Set(stdout.match(/(?<=^\S+ \().*(?=\)$)/gm)) }).toEqual({
      status: 0,
      stderr: '',
      fields: [
        `inference.baseUrl
    Full URL of the gateway.
    URL; required; since 1.2581.0; asks for consent; pinned to the origin
    flat: inferenceGatewayBaseUrl
`,
        `inference.credential.oidc.redirectPort (external-idp)
    Fixed loopback port for the sign-in redirect; otherwise any free one.
    whole number, 1024 to 65535; since 2.7032.0; asks for consent
    flat: inferenceIdpOidc.redirectPort
`,
      ],
      kinds: new Set(['external-idp']),
    })
  })

  test('says what replaces a deprecated key', async () => {
    const { stdout } = await runHere(['config', 'fields', '--kind', 'interactive'])
    expect(findField(stdout, 'inference.credential.oidc')).toBe(`inference.credential.oidc (interactive)
    The identity provider for the gateway sign-in.
    object; since 1.6889.0; asks for consent
    flat: inferenceGatewayOidc
    deprecated when flat: use inferenceIdpOidc
`)
  })

  test('leaves out what a release does not read', async () => {
    const { stdout } = await runHere(['config', 'fields', '--client-version', '1.8088.9', '--json'])
    const paths = JSON.parse(stdout).map(({ path }: { path: string }) => path)
    expect(paths).toEqual([
      '$schemaVersion',
      'expiresAt',
      'inference',
      'inference.provider',
      'inference.baseUrl',
      'inference.credential',
      'inference.credential.apiKey',
      'inference.credential.authScheme',
      'inference.credential.oidc',
      'inference.credential.oidc.clientId',
      'inference.credential.oidc.issuer',
      'inference.credential.oidc.authorizationUrl',
      'inference.credential.oidc.tokenUrl',
      'inference.credential.oidc.bearerTokenType',
      'inference.credential.oidc.scopes',
      'inference.credential.oidc.redirectPort',
      'inference.credential.command',
      'inference.credential.ttlSec',
      'inference.credential.authScheme',
      'inference.credential.awsEnv',
      'inference.credential.awsEnv.profile',
      'inference.credential.awsEnv.awsDir',
    ])
  })

  test('gives every row as JSON', async () => {
    const rows = JSON.parse((await runHere(['config', 'fields', '--json'])).stdout)
    const row = (path: string) => rows.find((one: { path: string }) => one.path === path)
    expect(row('inference.credential.apiKey')).toEqual({
      path: 'inference.credential.apiKey',
      flat: 'inferenceGatewayApiKey',
      kind: 'static',
      summary: 'API key for the gateway.',
      since: '1.2581.0',
      required: true,
      secret: true,
      availability: 'both',
      value: 'text',
      consent: false,
    })
    expect(row('inference.credential.ttlSec')).toEqual({
      path: 'inference.credential.ttlSec',
      flat: 'inferenceCredentialHelperTtlSec',
      kind: 'helper-script',
      summary:
        'How long the output is cached before the helper runs again; above 120 this is checked before every turn.',
      since: '1.2581.0',
      availability: 'both',
      default: 3600,
      value: 'whole number, 1 or more',
      consent: true,
    })
  })
})

describe('gatepass config schema', () => {
  test('prints a schema that accepts a good document and refuses a bad one', async () => {
    const { status, stdout, stderr } = await runHere(['config', 'schema'])
    const validate = new Ajv2020({ strict: false, formats: { uri: true } }).compile(JSON.parse(stdout))
    const accepted = [{}, { ttlSec: '900' }, { bogus: 1 }].map((each) => validate(JSON.parse(documentWith(each))))
    expect({ status, stderr, accepted }).toEqual({ status: 0, stderr: '', accepted: [true, false, false] })
  })
})
