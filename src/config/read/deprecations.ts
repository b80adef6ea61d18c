import type { CredentialKind } from '../document.ts'
import type { Field } from '../field.ts'
import { fields } from '../fields.ts'
import type { Finding } from '../finding.ts'
import { finding } from '../finding.ts'

/** A flat key's raw value, with the spelling that the file uses where that is a deprecated one. */
export interface FlatEntry {
  readonly raw: unknown
  readonly spelledAs?: Field
}

export type FlatEntries = ReadonlyMap<string, FlatEntry>

interface Mended {
  readonly entries: FlatEntries
  readonly findings: readonly Finding[]
}

const kindField = fieldAt('inference.credential.kind')
const schemeField = fieldAt('inference.credential.authScheme', 'static')

/** The pairs of an old and a new flat spelling of one setting. */
const renamed = (['oidc', 'authFlow'] as const).map((name) => ({
  old: fieldAt(`inference.credential.${name}`, 'interactive'),
  new: fieldAt(`inference.credential.${name}`, 'external-idp'),
}))
const oldOidc = renamed[0]!.old

/**
 * Replaces deprecated flat spellings, in this order: the scheme `sso`, then the gateway's own sign-in keys beside the
 * kind `interactive`. A kind that is named and is another wins over what an old spelling implies, and where both
 * spellings of a setting stand, the new one does.
 */
export function applyDeprecations(entries: FlatEntries): Mended {
  const scheme = mendScheme(entries)
  const names = mendNames(scheme.entries)
  return { entries: names.entries, findings: [...scheme.findings, ...names.findings] }
}

function mendScheme(entries: FlatEntries): Mended {
  if (entries.get(schemeField.flat!)?.raw !== 'sso') return { entries, findings: [] }
  const rest = new Map(entries)
  rest.delete(schemeField.flat!)
  const kind = entries.get(kindField.flat!)?.raw
  if (kind !== undefined && kind !== 'interactive') {
    const overridden = finding(
      'spelling-overridden',
      schemeField.flat!,
      `"sso" means the kind "interactive", but ${kindField.flat} names another, which counts`,
      'remove it',
    )
    return { entries: rest, findings: [overridden] }
  }
  rest.set(kindField.flat!, { raw: 'interactive', spelledAs: schemeField })
  return {
    entries: rest,
    findings: [deprecated(schemeField.flat!, `remove it and set ${kindField.flat} to "interactive"`)],
  }
}

function mendNames(entries: FlatEntries): Mended {
  const kind = entries.get(kindField.flat!)
  const mayRename = kind === undefined || kind.raw === 'interactive' || kind.raw === 'external-idp'
  if (!mayRename || !entries.has(oldOidc.flat!)) return { entries, findings: [] }
  const rest = new Map(entries)
  const findings = renamed.filter(({ old }) => entries.has(old.flat!)).map((pair) => rename(rest, pair))
  if (kind?.raw === 'interactive')
    rest.set(kindField.flat!, { raw: 'external-idp', spelledAs: kind.spelledAs ?? kindField })
  return { entries: rest, findings }
}

/** Moves one entry to its new spelling, unless that stands already. */
function rename(entries: Map<string, FlatEntry>, pair: { old: Field; new: Field }): Finding {
  const [from, to] = [pair.old.flat!, pair.new.flat!]
  const { raw } = entries.get(from)!
  entries.delete(from)
  if (entries.has(to))
    return finding('spelling-overridden', from, `${to} stands as well, and counts`, 'remove this one')
  entries.set(to, { raw, spelledAs: pair.old })
  return deprecated(from, `write ${to}, with ${kindField.flat} set to "${pair.new.kind}"`)
}

function deprecated(path: string, hint: string): Finding {
  return finding('deprecated-spelling', path, 'this spelling is deprecated; it keeps working', hint)
}

function fieldAt(path: string, kind?: CredentialKind): Field {
  return fields.find((field) => field.path === path && field.kind === kind)!
}
