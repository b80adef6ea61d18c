import { expect, test } from 'vitest'
import { toManagedPreferences } from '../../../src/config/render/managed-preferences.ts'
import { renderMobileconfig } from '../../../src/config/render/mobileconfig.ts'
import { renderIntune, renderRegistry } from '../../../src/config/render/registry.ts'
import { read, summarize } from '../read/read-text.ts'

const entries = {
  inferenceCredentialHelperWindows: 'C:\\Program Files\\h.exe',
  inferenceCredentialHelperArgs: '["it’s","it\'s"]',
}

test('a profile has stable identifiers', () => {
  const profile = renderMobileconfig(entries)
  expect(renderMobileconfig({ ...entries })).toBe(profile)
  const identities = profile.match(/[0-9A-F]{8}-[0-9A-F]{4}-8[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}/g)
  expect(new Set(identities).size).toBe(2)
  expect(renderMobileconfig({ ...entries, inferenceProvider: 'gateway' })).not.toContain(identities![0])
  expect(renderMobileconfig(entries, { identifier: 'com.example.ai' })).toContain('<string>com.example.ai</string>')
})

test('a registry file is what the registry editor writes', () => {
  const bytes = renderRegistry(entries)
  expect([...bytes.subarray(0, 2)]).toEqual([0xff, 0xfe])
  expect(Buffer.from(bytes).toString('utf16le').slice(1).split('\r\n')).toEqual([
    'Windows Registry Editor Version 5.00',
    '',
    '[HKEY_LOCAL_MACHINE\\SOFTWARE\\Policies\\Vendor]',
    '"inferenceCredentialHelperWindows"="C:\\\\Program Files\\\\h.exe"',
    '"inferenceCredentialHelperArgs"="[\\"it’s\\",\\"it\'s\\"]"',
    '',
    '',
  ])
})

test('a script for device management doubles every quote that PowerShell knows', () => {
  expect(renderIntune(entries).split('\r\n').slice(-3)).toEqual([
    "Set-Policy 'inferenceCredentialHelperWindows' 'C:\\Program Files\\h.exe'",
    "Set-Policy 'inferenceCredentialHelperArgs' '[\"it’’s\",\"it''s\"]'",
    '',
  ])
})

test('text that a platform would change is left out and reported', () => {
  const result = read({ inference: { provider: 'gateway', credential: { kind: 'static', apiKey: 'a\nb' } } })
  const exported = toManagedPreferences(result)!
  expect(exported.entries).toEqual({ inferenceProvider: 'gateway', inferenceCredentialKind: 'static' })
  expect(summarize(exported)).toEqual(['error not-exportable inferenceGatewayApiKey'])
})
