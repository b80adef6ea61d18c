import { expect, test } from 'vitest'
import { convertDocument, toManagedPreferences } from '../../../src/config/render/convert.ts'
import { read, summarize } from '../read/read-text.ts'

const document = {
  $schemaVersion: 2,
  expiresAt: 1_800_000_000,
  telemetry: { level: 1 },
  inference: {
    provider: 'gateway',
    customHeaders: { 'x-org': 'a' },
    credential: { kind: 'interactive', oidc: { clientId: 'c', redirectPort: 8080, later: true }, authFlow: 'broker' },
  },
}

test('nested keeps unknown keys in their position', () => {
  const { content, findings } = convertDocument(read(document), 'nested')!
  expect({ content: JSON.parse(content), findings }).toEqual({
    content: { ...document, expiresAt: 1_800_000_000_000 },
    findings: [],
  })
})

test.each(['nested', 'flat', 'managed'] as const)('a document of another provider in the form %s is an error', (to) => {
  const result = read({ inference: { provider: 'cloud', region: 'x' } })
  expect(summarize(convertDocument(result, to)!)[0]).toBe('error not-exportable inference.provider')
  expect(summarize(toManagedPreferences(result)!)[0]).toBe('error not-exportable inference.provider')
})

test('a provider without any field is written as such', () => {
  const credential = { kind: 'interactive', oidc: {} }
  const result = read({ inference: { provider: 'gateway', credential } })
  expect(JSON.parse(convertDocument(result, 'nested')!.content).inference.credential).toEqual(credential)
  expect(JSON.parse(convertDocument(result, 'managed')!.content).inferenceGatewayOidc).toBe('{}')
})

test('flat keeps the old spelling of a sign-in for clients that do not know the new one', () => {
  const { content, findings } = convertDocument(read(document), 'flat')!
  expect({ content: JSON.parse(content), findings: summarize({ findings }) }).toEqual({
    content: {
      expiresAt: 1_800_000_000_000,
      inferenceProvider: 'gateway',
      inferenceCustomHeaders: { 'x-org': 'a' },
      inferenceCredentialKind: 'interactive',
      inferenceGatewayOidcAuthFlow: 'broker',
      inferenceGatewayOidc: { clientId: 'c', redirectPort: 8080 },
    },
    findings: ['warning kept-aside telemetry', 'warning kept-aside inference.credential.oidc.later'],
  })
})

test('flat has the new spelling of a sign-in for clients that know it', () => {
  expect(convertDocument(read(document), 'flat', '2.7032.0')!.content).toBe(`\
{
  "expiresAt": 1800000000000,
  "inferenceProvider": "gateway",
  "inferenceCustomHeaders": {
    "x-org": "a"
  },
  "inferenceCredentialKind": "external-idp",
  "inferenceIdpAuthFlow": "broker",
  "inferenceIdpOidc": {
    "clientId": "c",
    "redirectPort": 8080
  }
}
`)
})

test('managed holds only text, without fields that have no key', () => {
  const { content, findings } = convertDocument(read(document), 'managed', '2.7032.0')!
  expect({ content: JSON.parse(content), findings: summarize({ findings }) }).toEqual({
    content: {
      inferenceProvider: 'gateway',
      inferenceCustomHeaders: '{"x-org":"a"}',
      inferenceCredentialKind: 'external-idp',
      inferenceIdpAuthFlow: 'broker',
      inferenceIdpOidc: '{"clientId":"c","redirectPort":8080}',
    },
    findings: [
      'warning kept-aside telemetry',
      'warning kept-aside inference.credential.oidc.later',
      'warning no-managed-key expiresAt',
    ],
  })
})

test('unknown flat keys go from one flat form to the other', () => {
  const flat = read({
    inferenceProvider: 'gateway',
    autoUpdate: true,
    inferenceIdpOidc: { clientId: 'c', later: 1 },
    inferenceCredentialKind: 'external-idp',
  })
  const managed = JSON.parse(convertDocument(flat, 'managed')!.content)
  expect({ managed, findings: summarize(convertDocument(flat, 'nested')!) }).toEqual({
    managed: {
      inferenceProvider: 'gateway',
      inferenceCredentialKind: 'external-idp',
      inferenceIdpOidc: '{"clientId":"c","later":1}',
      autoUpdate: 'true',
    },
    findings: ['warning kept-aside inferenceIdpOidc.later', 'warning kept-aside autoUpdate'],
  })
})

test('names of inherited properties are ordinary keys', () => {
  const content =
    '{"inference":{"constructor":1,"credential":{"kind":"static","toString":{"a":1}}},"hasOwnProperty":{}}'
  expect(JSON.parse(convertDocument(read(content), 'nested')!.content)).toEqual({
    $schemaVersion: 2,
    ...JSON.parse(content),
  })
})

test('an unreadable document is not converted', () => {
  expect(convertDocument(read('['), 'flat')).toBeUndefined()
})
