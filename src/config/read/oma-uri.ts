import { isObject } from '../../runtime/values/json-value.ts'
import { flatKeys } from '../fields.ts'
import { createFinding, type Raw } from '../finding.ts'
import { categoryName, toItemName, vendorItem } from '../policy-names.ts'
import { parseJson } from './json.ts'

/** Parses a custom profile of OMA-URI settings, as `config export --to oma-uri` writes it, into the values that its policies set. */
export function parseOmaUri(bytes: Uint8Array): Raw {
  const { entries, findings } = parseJson(bytes)
  if (!entries) return { entries, findings }
  const settings: readonly unknown[] = Array.isArray(entries.omaSettings) ? entries.omaSettings : []
  const policies = settings.flatMap(parseSetting)
  if (policies.length > 0)
    return {
      entries: Object.fromEntries(
        policies.filter(({ value }) => value !== undefined).map(({ name, value }) => [name, value]),
      ),
      findings,
    }
  const message = `none of its settings is a policy of ${vendorItem}, which the client reads`
  const hint =
    'name the client of the profile with gatepass --vendor FILE in front of the command, or export the document again'
  return { entries: undefined, findings: [createFinding('policy-key-missing', '', message, hint)] }
}

const prefix = `/Policy/Config/${vendorItem}~Policy~${categoryName}/`

function parseSetting(setting: unknown): { name: string; value: string | undefined }[] {
  if (!isObject(setting) || typeof setting.omaUri !== 'string' || typeof setting.value !== 'string') return []
  const at = setting.omaUri.indexOf(prefix)
  if (at === -1) return []
  const item = setting.omaUri.slice(at + prefix.length)
  const name = flatKeys.find((key) => toItemName(key) === item) ?? item
  // A disabled policy has no value.
  const value = /<data\s[^>]*\bvalue="([^"]*)"/.exec(setting.value)?.[1]
  return [{ name, value: value === undefined ? undefined : parseEntities(value) }]
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function parseEntities(text: string): string {
  return text.replaceAll(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (all, hex, decimal, name: string) => {
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    return entities[name] ?? (code <= 0x10ffff ? String.fromCodePoint(code) : all)
  })
}
