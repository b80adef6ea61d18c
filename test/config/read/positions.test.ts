import { build } from 'plist'
import { expect, test } from 'vitest'
import { checkDocument } from '../../../src/config/check/check-document.ts'
import { parseDocument } from '../../../src/config/read/read-document.ts'
import { joinPath } from '../../../src/runtime/values/position.ts'

/** Returns the findings of a text with where they are: `code path line:column`. */
function locate(text: string): string[] {
  return checkDocument(parseDocument(Buffer.from(text)), { os: 'linux' })
    .filter(({ severity }) => severity !== 'info')
    .map(({ code, path, line, column }) => `${code} ${path} ${line ?? '-'}:${column ?? '-'}`)
    .toSorted()
}

test('a finding in JSON stands at its key, or at the object that lacks the key', () => {
  const document = `{
  "inference": {
    "provider": "gateway",
    "customHeaders": {
      "x y": 1 },
    "credential": { "kind": "helper-script",
\t"args": ["ok",
      "50%"],
      "ttlSec": "x", "ttlSec": 0
    }
  }
}`
  expect(locate(document)).toEqual([
    'duplicate-key inference.credential.ttlSec 9:22',
    'invalid-value inference.credential.args[1] 8:7',
    'out-of-range inference.credential.ttlSec 9:22',
    'required-missing inference.baseUrl 2:3',
    'required-missing inference.credential.command 6:5',
    'wrong-type inference.customHeaders["x y"] 5:7',
  ])
})

test('a finding in a flat key that holds an object as text stands at the key', () => {
  const document = `{
  "inferenceProvider": "gateway", "inferenceGatewayBaseUrl": "https://gateway.example.com",
  "inferenceCredentialKind": "external-idp",
  "inferenceIdpOidc": "{\\"clientId\\": 5}"
}`
  expect(locate(document)).toEqual([
    'required-missing inferenceIdpOidc.issuer 4:3',
    'wrong-type inferenceIdpOidc.clientId 4:3',
  ])
})

test('a finding in a flat key of the cloud, which may have dots, stands at the key', () => {
  const document = `{
  "inferenceProvider": "gateway", "inferenceGatewayBaseUrl": "https://gateway.example.com",
  "inferenceCredentialKind": "helper-script", "inferenceCredentialHelper": "/opt/gatepass/token",
  "inferenceCloudProfile": 5
}`
  expect(locate(document)).toEqual([`wrong-type ${joinPath('', 'inferenceCloudProfile')} 4:3`])
})

test('a finding about a text that ends too early stands at its end', () => {
  expect(locate('{\n  "a": ')).toEqual(['not-json  2:8'])
})

test('a finding in a profile stands at its <key>', () => {
  const payload = { PayloadType: 'com.example.other', inferenceProvider: 'gatway', inferenceBogus: 'x' }
  const profile = build({ PayloadType: 'Configuration', PayloadContent: [payload] })
  const lineOf = (text: string) => profile.slice(0, profile.indexOf(text)).split('\n').length
  expect(locate(profile)).toEqual([
    `invalid-value inferenceProvider ${lineOf('inferenceProvider')}:9`,
    `other-payload-type PayloadType ${lineOf('com.example.other') - 1}:9`,
    `unknown-field inferenceBogus ${lineOf('inferenceBogus')}:9`,
  ])
})

test('a finding in a registry file stands at its line in the hive that counts', () => {
  const key = 'SOFTWARE\\Policies\\Vendor'
  const lines = [
    'Windows Registry Editor Version 5.00',
    `[HKEY_CURRENT_USER\\${key}]`,
    '"inferenceProvider"="gateway"',
    `[HKEY_LOCAL_MACHINE\\${key}\\Sub]`,
    '"x"="y"',
    `[HKEY_LOCAL_MACHINE\\${key}]`,
    '"inferenceProvider"="gatway"',
    'nonsense',
  ]
  expect(locate(lines.join('\r\n'))).toEqual([
    'invalid-value inferenceProvider 7:1',
    'registry-line  8:1',
    `registry-subkey HKEY_LOCAL_MACHINE\\${key}\\Sub 4:1`,
    'user-hive-ignored inferenceProvider 3:1',
  ])
})
