import { vendor } from '../../vendor.ts'
import { machinePolicyKey, registryHeader } from '../registry-key.ts'

/** A registry file for the machine hive, as `reg export` writes one: UTF-16LE with a byte-order mark and CRLF. */
export function renderRegistry(entries: Readonly<Record<string, string>>): Uint8Array {
  const values = Object.entries(entries).map(([name, value]) => `${quoteForRegistry(name)}=${quoteForRegistry(value)}`)
  const lines = [registryHeader, '', `[${machinePolicyKey}]`, ...values, '', '']
  return Buffer.from(`\ufeff${lines.join('\r\n')}`, 'utf16le')
}

/**
 * A PowerShell script that writes the same values, for device management that runs scripts. It begins with a byte-order
 * mark, without which Windows PowerShell reads it in the machine's ANSI code page.
 */
export function renderIntune(entries: Readonly<Record<string, string>>): string {
  const values = Object.entries(entries).map(
    ([name, value]) => `Set-Policy ${quoteForPowerShell(name)} ${quoteForPowerShell(value)}`,
  )
  return [
    "\ufeff$ErrorActionPreference = 'Stop'",
    `$key = ${quoteForPowerShell(`HKLM:\\${vendor.windowsPolicyKey}`)}`,
    'if (-not (Test-Path -LiteralPath $key)) { New-Item -Path $key -Force | Out-Null }',
    'function Set-Policy([string]$Name, [string]$Value) {',
    '  New-ItemProperty -LiteralPath $key -Name $Name -Value $Value -PropertyType String -Force | Out-Null',
    '}',
    '',
    ...values,
    '',
  ].join('\r\n')
}

function quoteForRegistry(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}

/** A single-quoted PowerShell string. PowerShell treats typographic quotes as quotes too, and a doubled one as itself. */
function quoteForPowerShell(text: string): string {
  return `'${text.replace(/['\u2018\u2019\u201a\u201b]/g, '$&$&')}'`
}
