// Renders the scripts that management tools run on Windows; `windows-examination.ts` has the comparison in them.

import { renderJson } from '../../../runtime/values/json-value.ts'
import { vendor } from '../../../vendor.ts'
import { type Mismatch, matchLine, mismatches, mismatchPrefix } from '../mismatches.ts'
import type { ManagedEntries } from '../registry.ts'
import { mismatchWords, quoteInAscii, renderExamination, renderTable } from './windows-examination.ts'

/** Renders a script that prints one line and ends with 0 on a machine that is as exported, and with 1 on any other. */
export function renderDetection(entries: ManagedEntries, files?: readonly string[]): string {
  return renderLines([...renderExamination(entries, files), 'try {', ...renderReport(1)])
}

/**
 * Renders the detection for a configuration item of Configuration Manager, which compares the line, and takes any status but 0 for a failed
 * script: it would never start the remediation (Microsoft's page on extending compliance settings).
 */
export function renderItemDiscovery(entries: ManagedEntries, files?: readonly string[]): string {
  return renderLines([...renderExamination(entries, files), 'try {', ...renderReport(0)])
}

/**
 * Renders a script that sets and removes values as the document requires, and then reports the remaining differences. It installs no helper
 * and changes no permissions. It contains the values, also a key.
 */
export function renderRemediation(entries: ManagedEntries, files?: readonly string[]): string {
  const texts = Object.entries(entries).map(([name, value]) => [name, quoteInAscii(value)] as const)
  return renderLines([
    ...renderExamination(entries, files),
    `$texts = ${renderTable(texts)}`,
    'try {',
    "  $writable = (Open-Hive 'LocalMachine').CreateSubKey($key)",
    "  foreach ($name in $names) { $writable.SetValue($name, $texts[$name], 'String') }",
    '  foreach ($name in $others) { $writable.DeleteValue($name, $false) }',
    ...renderReport(1),
  ])
}

/** Joins lines with the line ending of Windows. */
function renderLines(lines: readonly string[]): string {
  const title = `# ${vendor.name} desktop settings, written by Gatepass. Run it as the system.`.replace(
    /[^\x20-\x7e]/g,
    '?',
  )
  return [title, ...lines, ''].join('\r\n')
}

/**
 * Renders the search for mismatches and its report. Device management keeps its last line, and 2048 characters of it (Microsoft Learn,
 * "Use Remediations to detect and fix support issues").
 * @param otherwise The status unless the machine is as exported.
 */
function renderReport(otherwise: 0 | 1): string[] {
  return [
    '  Find-Mismatches',
    '  $parts = @()',
    `  foreach ($word in @(${mismatchWords.map(quoteInAscii).join(', ')})) {`,
    "    if ($found[$word].Count -gt 0) { $parts += $word + ': ' + ($found[$word] -join ', ') }",
    '  }',
    `  if ($parts.Count -eq 0) { Write-Output '${matchLine}'; exit 0 }`,
    `  $line = '${mismatchPrefix}' + ($parts -join '; ')`,
    '  if ($line.Length -gt 2048) { $line = $line.Substring(0, 2048) }',
    '  Write-Output $line',
    `  exit ${otherwise}`,
    '} catch {',
    "  Write-Output ('not examined: ' + $_.Exception.Message)",
    `  exit ${otherwise}`,
    '}',
  ]
}

/** Renders a discovery script for custom compliance: one line of JSON with the names by each mismatch. */
export function renderDiscovery(entries: ManagedEntries, files?: readonly string[]): string {
  const rows = (expression: (word: string) => string) =>
    listMismatches().map((mismatch) => [nameSetting(mismatch), expression(mismatches[mismatch])] as const)
  return renderLines([
    ...renderExamination(entries, files),
    'function Join-Names([string]$Word) {',
    `  if ($found[$Word].Count -eq 0) { return '${clean}' }`,
    "  return $found[$Word] -join ', '",
    '}',
    'try {',
    '  Find-Mismatches',
    `  $hash = ${renderTable(
      rows((word) => `(Join-Names ${quoteInAscii(word)})`),
      '  ',
    )}`,
    '} catch {',
    `  $hash = ${renderTable(
      rows(() => "'not examined'"),
      '  ',
    )}`,
    '}',
    'return $hash | ConvertTo-Json -Compress',
  ])
}

/** The value of a mismatch's setting on a compliant machine. */
const clean = 'none'

/** Renders the rules for that script. @param moreInfoUrl The page for people with a machine that is not compliant. */
export function renderComplianceRules(moreInfoUrl: string): string {
  const rules = listMismatches().map((mismatch) => ({
    SettingName: nameSetting(mismatch),
    Operator: 'IsEquals',
    DataType: 'String',
    Operand: clean,
    MoreInfoUrl: moreInfoUrl,
    RemediationStrings: [
      {
        Language: 'en_US',
        Title: `${titles[mismatch]}: {ActualValue}`,
        Description: 'The settings of this device are not those of your organization. Your help desk can restore them.',
      },
    ],
  }))
  return renderJson({ Rules: rules })
}

/** The text for people about each mismatch. Device management replaces the last word with the names. */
const titles: Readonly<Record<Mismatch, string>> = {
  missing: 'Settings are missing',
  differs: 'Settings have another value',
  wrongType: 'Settings have a type that is not read',
  notEnforced: 'Users can change',
  leftOver: 'Settings of an earlier document are left',
  helperMissing: 'The credential helper is not installed',
}

function listMismatches(): readonly Mismatch[] {
  return Object.keys(mismatches) as Mismatch[] // the keys of that very object
}

/** Names the setting of a mismatch, such as `GatepassHelperMissing`. */
function nameSetting(mismatch: Mismatch): string {
  return `Gatepass${mismatch[0]!.toUpperCase()}${mismatch.slice(1)}`
}
