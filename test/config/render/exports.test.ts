import { expect, test } from 'vitest'
import { flatKeys } from '../../../src/config/fields.ts'
import { renderMobileconfig, toManagedPreferences } from '../../../src/config/render/convert.ts'
import {
  renderIntune,
  renderRegistry,
  renderShellGuard,
  validateRegistryNames,
} from '../../../src/config/render/registry.ts'
import { read, summarize } from '../read/read-text.ts'

const entries = {
  inferenceCredentialHelperWindows: 'C:\\Program Files\\h.exe',
  inferenceCredentialHelperArgs: '["it’s","it\'s"]',
}

test('two profiles of the same settings are the same', () => {
  expect(renderMobileconfig({ ...entries })).toBe(renderMobileconfig(entries))
})

test('profile and payload have identifiers of their own, which other settings change', () => {
  const identity = /[0-9A-F]{8}-[0-9A-F]{4}-8[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}/g
  const both = [entries, { ...entries, inferenceProvider: 'gateway' }]
  const identities = both.flatMap((settings) => renderMobileconfig(settings).match(identity))
  expect({ all: identities.length, different: new Set(identities).size }).toEqual({ all: 4, different: 4 })
})

test('the identifier of a profile can be chosen', () => {
  const named = renderMobileconfig(entries, { identifier: 'com.example.ai' })
  expect(named.match(/(?<=<key>PayloadIdentifier<\/key>\s*<string>)[^<]*/g)).toEqual([
    'com.example.ai',
    'com.example.ai.settings',
  ])
})

const removed = flatKeys.filter((key) => !Object.hasOwn(entries, key))

test('a registry file is what the registry editor writes, and removes every other known key', () => {
  const bytes = renderRegistry(entries)
  expect([...bytes.subarray(0, 2)]).toEqual([0xff, 0xfe])
  expect(Buffer.from(bytes).toString('utf16le').slice(1).split('\r\n')).toEqual([
    'Windows Registry Editor Version 5.00',
    '',
    '[HKEY_LOCAL_MACHINE\\SOFTWARE\\Policies\\Vendor]',
    ...removed.map((key) => `"${key}"=-`),
    '"inferenceCredentialHelperWindows"="C:\\\\Program Files\\\\h.exe"',
    '"inferenceCredentialHelperArgs"="[\\"it’s\\",\\"it\'s\\"]"',
    '',
    '',
  ])
})

test('a script for device management removes every other known key, and doubles every quote that PowerShell knows', () => {
  const lines = renderIntune(entries).split('\r\n')
  expect(lines.slice(lines.indexOf(''))).toEqual([
    '',
    ...removed.map((key) => `Remove-Policy '${key}'`),
    "Set-Policy 'inferenceCredentialHelperWindows' 'C:\\Program Files\\h.exe'",
    "Set-Policy 'inferenceCredentialHelperArgs' '[\"it’’s\",\"it''s\"]'",
    '',
  ])
})

test('a key that is set in another case is not removed, because Windows compares names without case', () => {
  const lines = Buffer.from(renderRegistry({ INFERENCEPROVIDER: 'gateway' }))
    .toString('utf16le')
    .split('\r\n')
  expect(lines.filter((line) => /^"inferenceProvider"/i.test(line))).toEqual(['"INFERENCEPROVIDER"="gateway"'])
})

test('a script without a value removes the emptied key, and creates none', () => {
  const script = renderIntune({}, ["it's"])
  expect(script.split('\r\n')).toEqual([
    "\ufeff$ErrorActionPreference = 'Stop'",
    "$key = 'HKLM:\\SOFTWARE\\Policies\\Vendor'",
    'if (-not (Test-Path -LiteralPath $key)) { return }',
    'function Set-Policy([string]$Name, [string]$Value) {',
    '  New-ItemProperty -LiteralPath $key -Name $Name -Value $Value -PropertyType String -Force | Out-Null',
    '}',
    'function Remove-Policy([string]$Name) {',
    '  if ((Get-Item -LiteralPath $key).GetValueNames() -contains $Name) {',
    '    Remove-ItemProperty -LiteralPath $key -Name ([WildcardPattern]::Escape($Name)) -Force',
    '  }',
    '}',
    '',
    ...flatKeys.map((key) => `Remove-Policy '${key}'`),
    "Remove-Policy 'it''s'",
    '$left = Get-Item -LiteralPath $key',
    'if ($left.ValueCount -eq 0 -and $left.SubKeyCount -eq 0) { Remove-Item -LiteralPath $key }',
    '',
  ])
})

test('text that a platform would change is left out and reported', () => {
  const result = read({ inference: { provider: 'gateway', credential: { kind: 'static', apiKey: 'a\nb' } } })
  const exported = toManagedPreferences(result)!
  expect({ entries: exported.entries, findings: summarize(exported) }).toEqual({
    entries: { inferenceProvider: 'gateway', inferenceCredentialKind: 'static' },
    findings: ['error not-exportable inferenceGatewayApiKey'],
  })
})

test('names that the registry takes for the same one cannot be exported for Windows', () => {
  expect(validateRegistryNames({ twin: 'a', other: 'b', TWIN: 'c' })).toEqual([
    {
      code: 'not-exportable',
      severity: 'error',
      path: 'TWIN',
      message: 'the registry ignores the case of names, and has one value for it and for "twin"',
      hint: 'keep one of them',
    },
  ])
})

test.each([
  ['SOFTWARE\\Policies\\Acme', 0],
  ['SOFTWARE\\Acme\\Desktop', 1],
  ['Software\\PoliciesOfAcme', 1],
  ['SYSTEM\\Acme', 0],
])('the script for %s refuses a shell with another view of the registry', (key, lines) => {
  expect(renderShellGuard(key)).toHaveLength(lines)
})
