import { vendor } from '../../../vendor.ts'
import { matchLine, mismatchPrefix } from '../mismatches.ts'
import type { ManagedEntries } from '../registry.ts'
import { mismatchWords, quoteInAscii, renderExamination, renderTable } from './windows-examination.ts'

/** A script that prints one line and ends with 0 on a machine that is as exported, and with 1 on any other. */
export function renderDetection(entries: ManagedEntries, files: readonly string[] = []): string {
  return renderLines([...renderExamination(entries, files), 'try {', '  Find-Mismatches', ...renderReport(1)])
}

/**
 * The same for a configuration item of Configuration Manager, which compares the line, and takes any status but 0 for a script
 * that failed: it would never start the remediation (Microsoft's page on extending compliance settings).
 */
export function renderItemDiscovery(entries: ManagedEntries, files: readonly string[] = []): string {
  return renderLines([...renderExamination(entries, files), 'try {', '  Find-Mismatches', ...renderReport(0)])
}

/**
 * A script that sets and removes values as the document says, and then reports what is left: it installs no helper and
 * changes no permissions. It holds the values, also a key.
 */
export function renderRemediation(entries: ManagedEntries, files: readonly string[] = []): string {
  const texts = Object.entries(entries).map(([name, value]) => [name, quoteInAscii(value)] as const)
  return renderLines([
    ...renderExamination(entries, files),
    `$texts = ${renderTable(texts)}`,
    'try {',
    "  $writable = (Open-Hive 'LocalMachine').CreateSubKey($key)",
    "  foreach ($name in $names) { $writable.SetValue($name, $texts[$name], 'String') }",
    '  foreach ($name in $others) { $writable.DeleteValue($name, $false) }',
    '  Find-Mismatches',
    ...renderReport(1),
  ])
}

/** Every line ends as Windows ends them. */
export function renderLines(lines: readonly string[]): string {
  const title = `# ${vendor.name} desktop settings, written by Gatepass. Run it as the system.`.replace(
    /[^\x20-\x7e]/g,
    '?',
  )
  return [title, ...lines, ''].join('\r\n')
}

/** Device management keeps the last line, and 2048 characters of it. @param otherwise The status unless the machine is as exported. */
function renderReport(otherwise: 0 | 1): string[] {
  return [
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
