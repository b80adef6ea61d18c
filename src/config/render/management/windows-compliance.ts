import { renderJson } from '../../../runtime/values/json-value.ts'
import { type Mismatch, mismatches } from '../mismatches.ts'
import type { ManagedEntries } from '../registry.ts'
import { renderLines } from './windows-detection.ts'
import { quoteInAscii, renderExamination, renderTable } from './windows-examination.ts'

/** A discovery script for custom compliance: one line of JSON with the names by each mismatch. */
export function renderDiscovery(entries: ManagedEntries, files: readonly string[] = []): string {
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

/** The value that the setting of a mismatch must have. */
const clean = 'none'

/** The rules for that script. @param moreInfoUrl The page that people are sent to. */
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

/** The text that people read about each mismatch; device management replaces the last word with the names. */
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
