import { isObject, type RawObject } from '../../runtime/values/json-value.ts'
import { joinPath } from '../../runtime/values/position.ts'
import { type CredentialKind, type Field, findFlatKey, toFieldName, toParentPath } from '../field.ts'
import { fields } from '../fields.ts'
import { createFinding, type Finding } from '../finding.ts'
import { reportOverridden, selectKind } from './deprecations.ts'
import { type FieldMatches, type MatchedField, mergeMatches, noMatches } from './parse-fields.ts'

/** Matches every value of a nested document to its row. */
export function matchNested(entries: RawObject): FieldMatches {
  const inference = isObject(entries.inference) ? entries.inference : {}
  if (isForeignProvider(inference.provider)) return matchForeign(entries)
  const credential = isObject(inference.credential) ? inference.credential : {}
  const present = Object.keys(credential).flatMap((key) => listRows('inference.credential', key).slice(0, 1))
  const { kind, implied, findings } = selectKind(credential.kind, present, 'inference.credential.kind')
  const matches = matchObject(entries, { parent: '', path: '', keys: [], kind })
  return selectSpecifiedPaths(mergeMatches([{ ...noMatches, matched: implied, findings }, matches]))
}

/** The position of an object in a document. */
interface NestedObject {
  /** The path of the object in the field table. */
  readonly parent: string
  /** The path or key of the object as the file spells it. */
  readonly path: string
  /** The keys under which a conversion writes its unknown keys. */
  readonly keys: readonly string[]
  readonly kind: CredentialKind | undefined
}

/** Matches the values of an object, and those of the objects in it, to their rows. */
export function matchObject(object: RawObject, at: NestedObject): FieldMatches {
  return mergeMatches(Object.entries(object).map(([key, raw]) => matchEntry(key, raw, at)))
}

/** Matches a field whose credential kind is not the document's. */
export function matchUnused(unused: MatchedField, kind: CredentialKind | undefined): FieldMatches {
  const [message, hint] = kind
    ? [`the credential's kind is "${kind}", which does not read this field`, 'remove it']
    : ['it is not read while the credential has no kind', "set the credential's kind"]
  return { ...noMatches, unused: [unused], findings: [createFinding('other-kind', unused.path, message, hint)] }
}

/** Reports a field that published clients read although the specification does not list it. */
export function reportNotInSpecification(path: string): Finding {
  return createFinding(
    'not-in-specification',
    path,
    'clients were seen to read this, though the specification does not list it',
    '',
  )
}

function matchEntry(key: string, raw: unknown, at: NestedObject): FieldMatches {
  const path = joinPath(at.path, key)
  const rows = listRows(at.parent, key)
  const field = rows.find((row) => row.kind === undefined || row.kind === at.kind)
  if (!field && rows[0]) return matchUnused({ field: rows[0], raw, path, encoding: 'native' }, at.kind)
  if (!field) return matchUnknown(key, raw, path, at)
  const findings = field.observed || path === field.alternatePath ? [reportNotInSpecification(path)] : []
  if (field.rule.type !== 'object' || !isObject(raw)) {
    return { ...noMatches, matched: [{ field, raw, path, encoding: 'native' }], findings }
  }
  const inner = matchObject(raw, {
    ...at,
    parent: field.path,
    path,
    keys: path === field.alternatePath ? field.path.split('.') : [...at.keys, key],
  })
  const own = field.source ? [{ field, raw, path, encoding: 'native' } as const] : []
  return { ...inner, matched: [...own, ...inner.matched], findings: [...findings, ...inner.findings] }
}

function matchUnknown(key: string, value: unknown, path: string, at: NestedObject): FieldMatches {
  return {
    ...noMatches,
    unknownKeys: [{ keys: [...at.keys, key], value }],
    findings: [reportUnknown(key, value, path, at)],
  }
}

function reportUnknown(key: string, value: unknown, path: string, at: NestedObject): Finding {
  const misplaced = at.parent === '' && fields.find((field) => findFlatKey(field) === key)
  if (misplaced) {
    return createFinding(
      'flat-key-in-nested',
      path,
      'a nested document does not read flat keys',
      `write it as ${misplaced.path}, or make the whole document flat`,
    )
  }
  const siblings = fields
    .filter((field) => toParentPath(field) === at.parent && (!field.kind || field.kind === at.kind))
    .map(toFieldName)
  const isSetting = isObject(value) && !findSimilar(key, siblings)
  if (at.parent === '' && (isSetting || trustAnchorKeys.test(key))) return reportOutsideSpecification(path)
  return reportUnknownField(path, key, siblings)
}

/** Keys with the origin of a document. They count only on the device, and are ignored in a document from a server. */
export const trustAnchorKeys = /^(bootstrap([A-Z].*)?|trustBootstrapDelivery)$/

function listRows(parent: string, key: string): Field[] {
  return fields.filter(
    (field) =>
      (toParentPath(field) === parent && toFieldName(field) === key) || field.alternatePath === `${parent}.${key}`,
  )
}

function matchForeign({ inference, ...rest }: RawObject): FieldMatches {
  const foreign = {
    ...noMatches,
    unknownKeys: [{ keys: ['inference'], value: inference }],
    findings: [reportForeignProvider('inference.provider')],
  }
  return mergeMatches([matchObject(rest, { parent: '', path: '', keys: [], kind: undefined }), foreign])
}

/** Selects one value for a field with values at both of its paths: the one at the specified path. */
function selectSpecifiedPaths(matches: FieldMatches): FieldMatches {
  const isOverridden = ({ field, path }: MatchedField) =>
    path !== field.path && matches.matched.some((other) => other.path === field.path)
  const overridden = matches.matched.filter(isOverridden)
  const findings = overridden.map(({ field, path }) => reportOverridden(path, field.path))
  return {
    ...matches,
    matched: matches.matched.filter((match) => !isOverridden(match)),
    findings: [...matches.findings, ...findings],
  }
}

/** Reports a key that is in no row of the field table; its hint names a similar known key. */
export function reportUnknownField(path: string, key: string, known: readonly string[]): Finding {
  const near = findSimilar(key, known)
  const hint = near ? `did you mean "${near}"?` : 'remove it, or check its spelling and its position'
  return createFinding('unknown-field', path, 'the client does not know this field and ignores it', hint)
}

/** Finds the known name that the key probably misspells. */
export function findSimilar(key: string, known: readonly string[]): string | undefined {
  return known.find((name) => isSimilar(key, name))
}

/** Reports a setting of another cluster or another provider, which is not checked. */
export function reportOutsideSpecification(path: string): Finding {
  return createFinding(
    'outside-specification',
    path,
    'it belongs to a part of the document that is not checked here',
    '',
  )
}

/** Reports another provider than the gateway, whose settings are not known here. */
export function reportForeignProvider(path: string): Finding {
  return createFinding(
    'foreign-provider',
    path,
    'it names another provider than "gateway", so nothing here was checked',
    'for a gateway set it to "gateway"; otherwise see the documentation of that provider',
  )
}

/** Finds the finding for another provider than the gateway, because of which nothing in the document could be checked. */
export function findForeignProvider({ findings }: { readonly findings: readonly Finding[] }): Finding | undefined {
  return findings.find(({ code }) => code === 'foreign-provider')
}

/** Returns whether `provider` names another provider than the gateway; a misspelled `gateway` counts as the gateway. */
export function isForeignProvider(provider: unknown): boolean {
  return typeof provider === 'string' && provider !== '' && !isSimilar(provider, 'gateway')
}

/** Returns whether two names are equal after at most two single-character edits, fewer for short names; case is ignored. */
function isSimilar(key: string, name: string): boolean {
  const allowed = Math.min(2, Math.floor(name.length / 4))
  const [a, b] = [key.toLowerCase(), name.toLowerCase()]
  return Math.abs(a.length - b.length) <= allowed && computeEditDistance(a, b) <= allowed
}

function computeEditDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (const [row, letter] of [...a].entries()) {
    const current = [row + 1]
    for (let column = 1; column <= b.length; column++) {
      const replace = previous[column - 1]! + (letter === b[column - 1] ? 0 : 1)
      current.push(Math.min(replace, previous[column]! + 1, current[column - 1]! + 1))
    }
    previous = current
  }
  return previous.at(-1)!
}
