import { vendorRules } from './rules.ts'
import { toVendor, type VendorKey, type VendorSetting } from './setting.ts'

/** Parses the text of a vendor file. Never throws. */
export function parseVendorSetting(text: string): ValidatedSetting {
  try {
    return validateVendorSetting(JSON.parse(text.replace(/^\uFEFF/, '')))
  } catch {
    // UTF-16, which Windows PowerShell writes, has a zero byte in each letter.
    return { problems: [text.includes('\0') ? 'it is not JSON; save it as UTF-8' : 'it is not JSON'] }
  }
}

/** A vendor file, or all its problems, one a line. */
type ValidatedSetting = { readonly setting: VendorSetting } | { readonly problems: readonly string[] }

/** Validates the content of a vendor file, and finds all its problems. */
export function validateVendorSetting(value: unknown): ValidatedSetting {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problems: ['it is not a JSON object'] }
  const given = new Map<string, unknown>(Object.entries(value))
  const names = Object.keys(vendorRules)
  const unknown = [...given.keys()].filter((name) => !names.includes(name))
  const problems = [
    ...(names as VendorKey[]).flatMap((name) => validateName(name, given.get(name)) ?? []), // keys of the table
    ...(unknown.length > 0 ? [describeUnknown(unknown, names)] : []),
  ]
  if (problems.length > 0) return { problems }
  const setting = value as VendorSetting // each of its values was just validated
  const underivable = listUnderivable(setting)
  return underivable.length > 0 ? { problems: underivable } : { setting }
}

/** Describes the problem of all unknown names together, so that the list of the known ones stands in it once. */
function describeUnknown(unknown: readonly string[], known: readonly string[]): string {
  const words = unknown.length === 1 ? 'is not a name' : 'are not names'
  return `${unknown.map((name) => JSON.stringify(name)).join(', ')} ${words} in a vendor file; it has ${known.join(', ')}`
}

/** Finds the problem of one name's value; `undefined` for a valid value, and for an absent one that can be derived. */
export function validateName(name: VendorKey, value: unknown): string | undefined {
  const { pattern, expected, refused, derive } = vendorRules[name]
  if (value === undefined) return derive ? undefined : `${name} is missing: expected ${expected}`
  const shown = JSON.stringify(value).slice(0, 80)
  if (typeof value !== 'string' || !pattern.test(value)) return `${name}: expected ${expected}; found ${shown}`
  return refused?.values.includes(value.toLowerCase())
    ? `${name}: ${shown} cannot be used: ${refused.reason}`
    : undefined
}

/** Some names cannot be derived from a long name, or from one without a Latin letter or digit. */
function listUnderivable(setting: VendorSetting): string[] {
  const vendor = toVendor(setting)
  const names = Object.keys(vendorRules) as VendorKey[] // keys of the table
  return names
    .filter((name) => !vendorRules[name].pattern.test(vendor[name]))
    .map((name) => `${name} is missing, and cannot be derived from the name ${JSON.stringify(setting.name)}`)
}
