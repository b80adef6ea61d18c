// Replaces deprecated spellings of a document, and selects the kind of its credential.

import { type CredentialKind, credentialKinds, type Field } from '../field.ts'
import { fields } from '../fields.ts'
import { createFinding, type Finding } from '../finding.ts'
import type { MatchedField } from './parse-fields.ts'

/** The value that a file gives a flat key, before it is parsed. */
export interface FlatEntry {
  readonly raw: unknown
  /** See `FieldValue`. */
  readonly spelledAs?: Field
}

const schemeField = selectField('authScheme', 'static')

/** The old and the new flat spelling of each renamed setting. */
const renamed = [toRenamed('oidc'), toRenamed('authFlow')] as const
const [{ old: oldOidc, new: newOidc }, { old: oldFlow, new: newFlow }] = renamed

/**
 * Replaces deprecated flat spellings, in this order: the scheme `sso`, then the gateway's own sign-in keys, where the
 * sign-in is with a provider. Another kind that the document names takes precedence over the kind that an old spelling
 * implies, and the new spelling of a setting takes precedence over its old one.
 */
export function toCurrentKeys(entries: FlatEntries): CurrentKeys {
  const scheme = replaceScheme(entries)
  const names = replaceNames(scheme.entries)
  return { entries: names.entries, findings: [...scheme.findings, ...names.findings] }
}

type FlatEntries = ReadonlyMap<string, FlatEntry>

interface CurrentKeys {
  readonly entries: FlatEntries
  readonly findings: readonly Finding[]
}

function replaceScheme(entries: FlatEntries): CurrentKeys {
  if (entries.get(schemeField.flat!)?.raw !== 'sso') return { entries, findings: [] }
  const rest = new Map(entries)
  rest.delete(schemeField.flat!)
  const kind = entries.get(kindField.flat!)?.raw
  if (kind !== undefined && kind !== 'interactive') {
    const overridden = createFinding(
      'spelling-overridden',
      schemeField.flat!,
      `"sso" means the kind "interactive", but ${kindField.flat} names another, which is used`,
      'remove it',
    )
    return { entries: rest, findings: [overridden] }
  }
  rest.set(kindField.flat!, { raw: 'interactive', spelledAs: schemeField })
  return {
    entries: rest,
    findings: [reportDeprecated(schemeField.flat!, `remove it and set ${kindField.flat} to "interactive"`)],
  }
}

function replaceNames(entries: FlatEntries): CurrentKeys {
  const kind = entries.get(kindField.flat!)
  if (!hasProvider(entries)) return { entries, findings: reportOldFlow(entries) }
  const rest = new Map(entries)
  const findings = renamed.filter(({ old }) => entries.has(old.flat!)).map((pair) => moveEntry(rest, pair))
  if (kind?.raw === 'interactive')
    rest.set(kindField.flat!, { raw: 'external-idp', spelledAs: kind.spelledAs ?? kindField })
  return { entries: rest, findings }
}

/** Returns whether the sign-in is with an identity provider, in either spelling; the kind `interactive` reads the old one only. */
function hasProvider(entries: FlatEntries): boolean {
  const kind = entries.get(kindField.flat!)?.raw
  const hasOld = entries.has(oldOidc.flat!)
  if (kind === undefined) return hasOld || entries.has(newOidc.flat!)
  return kind === 'external-idp' || (kind === 'interactive' && hasOld)
}

/** Reports the old key of the flow, which keeps working: a sign-in with the gateway itself has no other key for it. */
function reportOldFlow(entries: FlatEntries): Finding[] {
  const kind = entries.get(kindField.flat!)?.raw
  if (!entries.has(oldFlow.flat!) || (kind !== undefined && kind !== 'interactive')) return []
  const hint = `for a sign-in with an identity provider write ${newFlow.flat} with ${newOidc.flat}; otherwise keep it`
  return [reportDeprecated(oldFlow.flat!, hint)]
}

/** Moves one entry to its new spelling, unless the new spelling is set too. */
function moveEntry(entries: Map<string, FlatEntry>, pair: { old: Field; new: Field }): Finding {
  const [from, to] = [pair.old.flat!, pair.new.flat!]
  const { raw } = entries.get(from)!
  entries.delete(from)
  if (entries.has(to)) return reportOverridden(from, to)
  entries.set(to, { raw, spelledAs: pair.old })
  return reportDeprecated(from, `write ${to}, with ${kindField.flat} set to "${pair.new.kind}"`)
}

/** Reports a value that another one replaces. */
export function reportOverridden(path: string, used: string): Finding {
  return createFinding('spelling-overridden', path, `${used} is set too, and is used instead`, 'remove this one')
}

function reportDeprecated(path: string, hint: string): Finding {
  return createFinding('deprecated-spelling', path, 'this spelling is deprecated; it keeps working', hint)
}

function toRenamed(name: string): { old: Field; new: Field } {
  return { old: selectField(name, 'interactive'), new: selectField(name, 'external-idp') }
}

function selectField(name: string, kind: CredentialKind): Field {
  return fields.find((field) => field.path === `inference.credential.${name}` && field.kind === kind)!
}

interface FoundKind {
  /** `undefined` when the document has no source or several; clients guess then, so no kind is applied. */
  readonly kind: CredentialKind | undefined
  /** The kind as a matched field, if the document does not name it. */
  readonly implied: readonly MatchedField[]
  readonly findings: readonly Finding[]
}

/**
 * Selects the kind of the document's credential: the named one, otherwise the kind of its only source.
 * @param present The rows of the credential's fields in the document.
 * @param path How the file spells `kind`.
 */
export function selectKind(raw: unknown, present: readonly Field[], path: string): FoundKind {
  const named = credentialKinds.find((kind) => kind === raw)
  if (named) return { kind: named, implied: [], findings: [] }
  const sources = new Set(present.flatMap((field) => (field.source && field.kind ? [field.kind] : [])))
  if (sources.size > 1) return { kind: undefined, implied: [], findings: [reportTwoSources([...sources], path)] }
  const [kind] = sources
  const implied: MatchedField[] = kind
    ? [{ field: kindField, raw: kind, path, encoding: 'native', isImplied: true }]
    : []
  return { kind, implied, findings: raw === undefined && kind ? [reportOneSource(kind, path)] : [] }
}

/** The row of `kind`, which is read before others because it decides which of them count. */
export const kindField = fields.find((field) => field.path === 'inference.credential.kind')!

function reportTwoSources(kinds: readonly CredentialKind[], path: string): Finding {
  const message = `it is not set, and there are sources for ${kinds.map((kind) => `"${kind}"`).join(' and ')}; clients differ in which one they use`
  return createFinding(
    'kind-unset-two-sources',
    path,
    message,
    `set it to one of ${kinds.map((kind) => `"${kind}"`).join(', ')} and remove the fields of the others`,
  )
}

function reportOneSource(kind: CredentialKind, path: string): Finding {
  return createFinding('kind-unset', path, 'it is not set, so clients guess', `set it to "${kind}"`)
}
