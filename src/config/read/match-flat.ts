import { vendor } from '../../vendor.ts'
import type { CredentialKind } from '../document.ts'
import { fields, flatKeys } from '../fields.ts'
import { finding, joinPath } from '../finding.ts'
import { isRecord, type RawObject } from '../raw.ts'
import { parseManaged } from '../values/parse-managed.ts'
import type { Encoding } from '../values/parse-value.ts'
import { findKind } from './credential-kind.ts'
import { applyDeprecations, type FlatEntry } from './deprecations.ts'
import { matchObject, notInSpecification, placeUnused } from './match-nested.ts'
import { type FieldMatches, type MatchedField, mergeMatches, noMatches } from './matched-field.ts'
import { findNear, isForeignProvider, outsideSpecification, unknownField } from './unknown-key.ts'

/** Fields that a flat JSON document holds under their nested names, because they have no flat key. */
const namesWithoutKey = ['$schemaVersion', 'expiresAt']

/** Finds the row of every value in a flat document; deprecated spellings are replaced on the way. */
export function matchFlat(entries: RawObject, encoding: Encoding): FieldMatches {
  const foreign = isForeignProvider(entries.inferenceProvider)
  const isKnown = (key: string) => flatKeys.includes(key) && !foreign
  const known = Object.entries(entries).filter(([key]) => isKnown(key))
  const others = Object.entries(entries).filter(([key]) => !isKnown(key))
  const mended = applyDeprecations(new Map(known.map(([key, raw]) => [key, { raw }])))
  const present = [...mended.entries.keys()].map((key) => fields.find((field) => field.flat === key)!)
  const { kind, implied, findings } = findKind(mended.entries.get(kindKey)?.raw, present, kindKey)
  return mergeMatches([
    { ...noMatches, placed: implied, findings: [...mended.findings, ...findings] },
    ...[...mended.entries].map(([key, entry]) => placeKnown(key, entry, kind, encoding)),
    ...others.map(([key, raw]) => placeOther(key, raw, encoding, foreign)),
  ])
}

const kindKey = 'inferenceCredentialKind'

function placeKnown(key: string, entry: FlatEntry, kind: CredentialKind | undefined, encoding: Encoding): FieldMatches {
  const rows = fields.filter((field) => field.flat === key)
  const field = rows.find((row) => row.kind === undefined || row.kind === kind)
  const path = entry.spelledAs?.flat ?? key
  if (!field) return placeUnused({ field: rows[0]!, raw: entry.raw, path, encoding }, kind)
  const placed = { field, path, encoding, ...entry }
  if (field.rule.type === 'cluster') return placeInside(placed)
  return { ...noMatches, placed: [placed], findings: field.seen ? [notInSpecification(path)] : [] }
}

/** The flat value of `oidc` is an object; inside it, and inside its managed text, names and values are native. */
function placeInside(outer: MatchedField): FieldMatches {
  const { field, path, spelledAs } = outer
  const { value, findings } = parseManaged(field.rule, outer.raw, path)
  if (!isRecord(value)) return { ...noMatches, placed: value === undefined ? [] : [outer], findings }
  const inner = matchObject(value, { parent: field.path, path, keys: [field.flat!], kind: field.kind })
  const asSpelled = (placed: MatchedField): MatchedField => {
    const old = spelledAs && fields.find((other) => other.path === placed.field.path && other.kind === spelledAs.kind)
    return old ? { ...placed, spelledAs: old } : placed
  }
  return { ...inner, placed: inner.placed.map(asSpelled), findings: [...findings, ...inner.findings] }
}

function placeOther(key: string, raw: unknown, encoding: Encoding, foreign: boolean): FieldMatches {
  const path = joinPath('', key)
  const field = namesWithoutKey.includes(key) && fields.find((row) => row.path === key)
  if (field && encoding === 'native') return { ...noMatches, placed: [{ field, raw, path, encoding }] }
  if (field) {
    return {
      ...noMatches,
      findings: [finding('no-managed-key', path, 'managed preferences have no such key', 'remove it')],
    }
  }
  const judged = isOutside(key, foreign) ? outsideSpecification(path) : unknownField(path, key, flatKeys)
  return { ...noMatches, kept: [{ keys: [key], value: raw }], findings: [judged] }
}

/** Keys of other clusters, of the cloud provider, or of whatever provider the document names instead of the gateway. */
function isOutside(key: string, foreign: boolean): boolean {
  if (foreign && key.startsWith('inference')) return true
  if (findNear(key, flatKeys)) return false
  return !key.startsWith('inference') || key.startsWith(`inference${vendor.cloudWord}`)
}
