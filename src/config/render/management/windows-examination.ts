// Renders the part of a Windows script that compares the machine with a document.

import { hash } from 'node:crypto'
import { win32 } from 'node:path'
import { quoteForPowerShell } from '../../../runtime/text/quote.ts'
import { vendorFileName } from '../../../vendor/setting.ts'
import { vendor } from '../../../vendor.ts'
import { fields, flatKeys, isDrivePath } from '../../fields.ts'
import { mismatches } from '../mismatches.ts'
import type { ManagedEntries } from '../registry.ts'

/**
 * Renders the lines that compare a machine with a document, and collect in the variable `$found` the names by each mismatch. Values are
 * compared by their digests, so that the script neither contains nor prints one.
 * @param files Other required files, such as the settings of the helper.
 */
export function renderExamination(entries: ManagedEntries, files: readonly string[] = []): string[] {
  return [
    "$ErrorActionPreference = 'Stop'",
    ...renderExpected(entries, files),
    `$found = ${renderTable(mismatchWords.map((word) => [word, '@()']))}`,
    ...functions,
  ]
}

/** The words before the names, in their order. */
export const mismatchWords: readonly string[] = Object.values(mismatches)

/** Renders a hash table with a line for each row. PowerShell compares its names without case, as Windows compares the names of values. */
export function renderTable(rows: readonly (readonly [name: string, expression: string])[], indent = ''): string {
  const lines = rows.map(([name, expression]) => `${indent}  ${quoteInAscii(name)} = ${expression}`)
  return ['@{', ...lines, `${indent}}`].join('\r\n')
}

function renderExpected(entries: ManagedEntries, files: readonly string[]): string[] {
  const set = new Set(Object.keys(entries).map((name) => name.toLowerCase()))
  const others = flatKeys.filter((name) => !set.has(name.toLowerCase()))
  const digests = Object.entries(entries).map(([name, value]) => [name, quoteInAscii(hash('sha256', value))] as const)
  const helper = findHelperPath(entries)
  return [
    `$key = ${quoteInAscii(vendor.windowsPolicyKey)}`,
    `$names = ${renderList(Object.keys(entries))}`,
    `$digests = ${renderTable(digests)}`,
    `$others = ${renderList(others)}`,
    `$helper = ${quoteInAscii(helper ?? '')}`,
    `$files = ${renderList(files)}`,
    `$guarded = ${renderList([...new Set([...(helper === undefined ? [] : listGuarded(helper)), ...files])])}`,
    `$trusted = ${renderList(trustedAccounts)}`,
  ]
}

/** Finds the path of the helper that clients start on Windows. */
function findHelperPath(entries: ManagedEntries): string | undefined {
  const paths = ['inference.credential.commandWindows', 'inference.credential.command']
  const values = paths.map((path) => entries[fields.find((field) => field.path === path)!.flat!])
  return values.find((value) => value !== undefined && isDrivePath(value))
}

function renderList(items: readonly string[]): string {
  return `@(${items.map(quoteInAscii).join(', ')})`
}

/** Lists the paths that only an administrator may be able to change: the helper, its folder, and the machine's files beside it. */
function listGuarded(helper: string): string[] {
  const { dir, name } = win32.parse(helper)
  return [helper, dir, win32.join(dir, `${name}.json`), win32.join(dir, vendorFileName)]
}

/**
 * The accounts that may change these paths: the system, administrators, the installer of Windows, and whoever creates a file, which a
 * folder passes on. Microsoft Learn, "Security identifiers" (well-known SIDs); the third is the account `NT SERVICE\TrustedInstaller`.
 */
const trustedAccounts = [
  'S-1-5-18',
  'S-1-5-32-544',
  'S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464',
  'S-1-3-0',
]

/**
 * Writing and appending data, attributes and permissions, deleting, taking ownership, and the two generic rights that
 * hold them. Microsoft Learn, "File Access Rights Constants" and "Access Mask Format".
 */
const rightsToChange = '0x500D0156'

/**
 * Functions of the script. They open the 64-bit view in any PowerShell, because device management starts the 32-bit one unless configured
 * otherwise.
 */
const functions = [
  'function Open-Hive([string]$Hive) {',
  "  return [Microsoft.Win32.RegistryKey]::OpenBaseKey($Hive, 'Registry64')",
  '}',
  'function Get-Digest([string]$Text) {',
  '  $bytes = [System.Text.Encoding]::UTF8.GetBytes($Text)',
  '  $digest = [System.Security.Cryptography.SHA256]::Create().ComputeHash($bytes)',
  "  return [System.BitConverter]::ToString($digest).Replace('-', '')",
  '}',
  'function Test-Value($Policy, [string]$Name) {',
  `  if ($null -eq $Policy) { return '${mismatches.missing}' }`,
  `  if ($Policy.GetValueNames() -notcontains $Name) { return '${mismatches.missing}' }`,
  `  if ($Policy.GetValueKind($Name) -ne 'String') { return '${mismatches.wrongType}' }`,
  '  $value = $Policy.GetValue($Name)',
  `  if ((Get-Digest $value) -ne $digests[$Name]) { return '${mismatches.differs}' }`,
  "  return ''",
  '}',
  'function Test-Writable([string]$Path) {',
  '  if (-not (Test-Path -LiteralPath $Path)) { return $false }',
  '  $acl = Get-Acl -LiteralPath $Path',
  '  $kind = [System.Security.Principal.SecurityIdentifier]',
  '  if ($trusted -notcontains $acl.GetOwner($kind).Value) { return $true }',
  '  foreach ($rule in $acl.GetAccessRules($true, $true, $kind)) {',
  '    $isOther = $trusted -notcontains $rule.IdentityReference.Value',
  "    $applies = $rule.AccessControlType -eq 'Allow' -and ([int]$rule.PropagationFlags -band 2) -eq 0",
  `    if ($isOther -and $applies -and ([int]$rule.FileSystemRights -band ${rightsToChange}) -ne 0) { return $true }`,
  '  }',
  '  return $false',
  '}',
  'function Find-Mismatches {',
  "  $policy = (Open-Hive 'LocalMachine').OpenSubKey($key)",
  "  $users = Open-Hive 'Users'",
  '  $ofUsers = @()',
  '  foreach ($sid in $users.GetSubKeyNames()) {',
  "    if ($sid -match '^S-1-(5-21|12-1)-[0-9-]+$') {",
  "      $own = $users.OpenSubKey($sid + '\\' + $key)",
  '      if ($null -ne $own) { $ofUsers += $own.GetValueNames() }',
  '    }',
  '  }',
  '  foreach ($name in $names) {',
  '    $state = Test-Value $policy $name',
  `    if ($state -eq '${mismatches.missing}' -and $ofUsers -contains $name) { $state = '${mismatches.notEnforced}' }`,
  "    if ($state -ne '') { $found[$state] += $name }",
  '  }',
  '  foreach ($name in $others) {',
  '    if ($null -ne $policy -and $policy.GetValueNames() -contains $name) {',
  `      $found['${mismatches.leftOver}'] += $name`,
  '    }',
  '  }',
  "  if ($helper -ne '' -and -not (Test-Path -LiteralPath $helper -PathType Leaf)) {",
  `    $found['${mismatches.helperMissing}'] += $helper`,
  '  }',
  '  foreach ($path in $files) {',
  `    if (-not (Test-Path -LiteralPath $path -PathType Leaf)) { $found['${mismatches.missing}'] += $path }`,
  '  }',
  '  foreach ($path in $guarded) {',
  `    if (Test-Writable $path) { $found['${mismatches.notEnforced}'] += $path }`,
  '  }',
  '}',
]

/**
 * Renders a text as a PowerShell expression in ASCII only. A program may read the script as UTF-8 or in the machine's code page, and a
 * byte-order mark is not permitted where a signature is checked.
 */
export function quoteInAscii(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return quoteForPowerShell(text)
  const parts = text.match(/[\x20-\x7e]+|[^\x20-\x7e]/g)! // every code unit is in one of the two
  const first = isRun(parts[0]!) ? [] : ["''"]
  return `(${[...first, ...parts.map((part) => (isRun(part) ? quoteForPowerShell(part) : toCodeUnit(part)))].join(' + ')})`
}

function isRun(part: string): boolean {
  return /^[\x20-\x7e]/.test(part)
}

function toCodeUnit(character: string): string {
  return `[char]0x${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
