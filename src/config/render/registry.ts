import { vendor } from '../../vendor.ts'

/** A registry file for the machine hive, as `reg export` writes one: UTF-16LE with a byte-order mark and CRLF. */
export function renderRegistry(entries: Readonly<Record<string, string>>): Uint8Array {
  const values = Object.entries(entries).map(([name, value]) => `${quote(name)}=${quote(value)}`)
  const lines = [
    'Windows Registry Editor Version 5.00',
    '',
    `[HKEY_LOCAL_MACHINE\\${vendor.windowsPolicyKey}]`,
    ...values,
    '',
    '',
  ]
  return Buffer.from(`\ufeff${lines.join('\r\n')}`, 'utf16le')
}

/**
 * A PowerShell script that writes the same values, for a device management that runs scripts. It begins with a
 * byte-order mark: without one Windows PowerShell takes it for the machine's old code page.
 */
export function renderIntune(entries: Readonly<Record<string, string>>): string {
  const values = Object.entries(entries).map(([name, value]) => `Set-Policy ${literal(name)} ${literal(value)}`)
  return [
    "\ufeff$ErrorActionPreference = 'Stop'",
    `$key = ${literal(`HKLM:\\${vendor.windowsPolicyKey}`)}`,
    'if (-not (Test-Path -LiteralPath $key)) { New-Item -Path $key -Force | Out-Null }',
    'function Set-Policy([string]$Name, [string]$Value) {',
    '  New-ItemProperty -LiteralPath $key -Name $Name -Value $Value -PropertyType String -Force | Out-Null',
    '}',
    '',
    ...values,
    '',
  ].join('\r\n')
}

function quote(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}

/** PowerShell ends a single-quoted string at typographic quotes too; doubled, each stands for itself. */
function literal(text: string): string {
  return `'${text.replace(/['\u2018\u2019\u201a\u201b]/g, '$&$&')}'`
}
