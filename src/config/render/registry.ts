import { quoteForPowerShell } from '../../runtime/text/quote.ts'
import { joinPath } from '../../runtime/values/position.ts'
import { vendor } from '../../vendor.ts'
import { flatKeys } from '../fields.ts'
import { createFinding, type Finding } from '../finding.ts'
import { machinePolicyKey, registryHeader } from '../policy-names.ts'

/** The values that an export writes under the policy key, by name. */
export type ManagedEntries = Readonly<Record<string, string>>

/**
 * Renders a registry file for the machine hive, as `reg export` does: UTF-16LE with a byte-order mark and CRLF. It removes every known key
 * without a value, so that nothing of an earlier document stays.
 * @param others Further names to remove.
 */
export function renderRegistry(entries: ManagedEntries, others: readonly string[] = []): Uint8Array {
  const removed = listRemoved(entries, others).map((name) => `${quoteForRegistry(name)}=-`)
  const values = Object.entries(entries).map(([name, value]) => `${quoteForRegistry(name)}=${quoteForRegistry(value)}`)
  const lines = [registryHeader, '', `[${machinePolicyKey}]`, ...removed, ...values, '', '']
  return Buffer.from(`\ufeff${lines.join('\r\n')}`, 'utf16le')
}

/**
 * Renders a PowerShell script with the changes of {@link renderRegistry}, for device management that runs scripts. It begins with a
 * byte-order mark, without which Windows PowerShell reads it in the machine's ANSI code page.
 * @param others Further names to remove.
 */
export function renderIntune(entries: ManagedEntries, others: readonly string[] = []): string {
  const removed = listRemoved(entries, others).map((name) => `Remove-Policy ${quoteForPowerShell(name)}`)
  const values = Object.entries(entries).map(
    ([name, value]) => `Set-Policy ${quoteForPowerShell(name)} ${quoteForPowerShell(value)}`,
  )
  const ending = values.length === 0 ? removeEmptyKey : values
  return [
    "\ufeff$ErrorActionPreference = 'Stop'",
    ...renderShellGuard(vendor.windowsPolicyKey),
    `$key = ${quoteForPowerShell(`HKLM:\\${vendor.windowsPolicyKey}`)}`,
    values.length === 0 ? 'if (-not (Test-Path -LiteralPath $key)) { return }' : createKey,
    ...functions,
    '',
    ...removed,
    ...ending,
    '',
  ].join('\r\n')
}

/**
 * Renders lines that refuse the 32-bit PowerShell, which device management starts unless configured otherwise, if it has another view of
 * the key: all of SOFTWARE except its policies (Microsoft Learn, "Registry Keys Affected by WOW64").
 */
export function renderShellGuard(key: string): string[] {
  if (!/^software\\(?!policies\\)/i.test(key)) return []
  return ["if ($env:PROCESSOR_ARCHITEW6432) { throw 'run this script in the 64-bit PowerShell' }"]
}

/** Validates that no two names are one value of the registry. PowerShell, which ignores case too, rejects a hash table with both. */
export function validateRegistryNames(entries: ManagedEntries): Finding[] {
  const seen = new Map<string, string>()
  return Object.keys(entries).flatMap((name) => {
    const other = seen.get(name.toLowerCase())
    seen.set(name.toLowerCase(), name)
    if (other === undefined) return []
    const message = `the registry ignores the case of names, and has one value for it and for ${JSON.stringify(other)}`
    return [createFinding('not-exportable', joinPath('', name), message, 'keep one of them')]
  })
}

/** Lists the names to remove. Windows compares names without case, so a name that is set in another case stays. */
function listRemoved(entries: ManagedEntries, others: readonly string[]): string[] {
  const kept = new Set(Object.keys(entries).map((name) => name.toLowerCase()))
  return [...new Set([...flatKeys, ...others])].filter((name) => !kept.has(name.toLowerCase()))
}

const createKey = 'if (-not (Test-Path -LiteralPath $key)) { New-Item -Path $key -Force | Out-Null }'

/**
 * Functions of the script that set and remove a value. `Remove-ItemProperty` fails on a missing value, and takes its name for a pattern.
 */
const functions = [
  'function Set-Policy([string]$Name, [string]$Value) {',
  '  New-ItemProperty -LiteralPath $key -Name $Name -Value $Value -PropertyType String -Force | Out-Null',
  '}',
  'function Remove-Policy([string]$Name) {',
  '  if ((Get-Item -LiteralPath $key).GetValueNames() -contains $Name) {',
  '    Remove-ItemProperty -LiteralPath $key -Name ([WildcardPattern]::Escape($Name)) -Force',
  '  }',
  '}',
]

const removeEmptyKey = [
  '$left = Get-Item -LiteralPath $key',
  'if ($left.ValueCount -eq 0 -and $left.SubKeyCount -eq 0) { Remove-Item -LiteralPath $key }',
]

function quoteForRegistry(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
