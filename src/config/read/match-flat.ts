import { isRecord, type RawObject } from '../../runtime/json/json-value.ts'
import { joinPath } from '../../runtime/json/position.ts'
import { vendor } from '../../vendor.ts'
import type { CredentialKind } from '../document.ts'
import { fields, flatKeys } from '../fields.ts'
import { createFinding, type Finding } from '../finding.ts'
import { parseManaged } from '../values/parse-managed.ts'
import type { Encoding } from '../values/parse-value.ts'
import { findKind, kindField } from './credential-kind.ts'
import { type FlatEntry, toCurrentKeys } from './deprecations.ts'
import { matchObject, matchUnused, reportNotInSpecification } from './match-nested.ts'
import { type FieldMatches, type MatchedField, mergeMatches, noMatches } from './matched-field.ts'
import {
  findSimilar,
  isForeignProvider,
  reportForeignProvider,
  reportOutsideSpecification,
  reportUnknownField,
} from './unknown-key.ts'

/** Fields without a flat key, which a flat JSON document holds under their nested names. */
const namesWithoutKey = ['$schemaVersion', 'expiresAt']

/** Finds the row of every value in a flat document, after deprecated spellings are replaced. */
export function matchFlat(entries: RawObject, encoding: Encoding): FieldMatches {
  const isForeign = isForeignProvider(entries.inferenceProvider)
  const isKnown = (key: string) => flatKeys.includes(key) && !isForeign
  const known = Object.entries(entries).filter(([key]) => isKnown(key))
  const others = Object.entries(entries).filter(([key]) => !isKnown(key))
  const current = toCurrentKeys(new Map(known.map(([key, raw]) => [key, { raw }])))
  const present = [...current.entries.keys()].map((key) => fields.find((field) => field.flat === key)!)
  const { kind, implied, findings } = findKind(current.entries.get(kindKey)?.raw, present, kindKey)
  return mergeMatches([
    { ...noMatches, matched: implied, findings: [...current.findings, ...findings] },
    ...[...current.entries].map(([key, entry]) => matchKnown(key, entry, kind, encoding)),
    ...others.map(([key, raw]) => matchOther(key, raw, encoding, isForeign)),
  ])
}

const kindKey = kindField.flat!

function matchKnown(key: string, entry: FlatEntry, kind: CredentialKind | undefined, encoding: Encoding): FieldMatches {
  const rows = fields.filter((field) => field.flat === key)
  const field = rows.find((row) => row.kind === undefined || row.kind === kind)
  const path = joinPath('', entry.spelledAs?.flat ?? key)
  if (!field) return matchUnused({ field: rows[0]!, raw: entry.raw, path, encoding }, kind)
  const match = { field, path, encoding, ...entry }
  if (field.rule.type === 'object') return matchInside(match)
  return { ...noMatches, matched: [match], findings: field.observed ? [reportNotInSpecification(path)] : [] }
}

/** The flat value of `oidc` is an object; inside it, and inside its managed text, names and values are those of the nested form. */
function matchInside(outer: MatchedField): FieldMatches {
  const { field, path, spelledAs } = outer
  const { value, findings } = parseManaged(field.rule, outer.raw, path)
  if (!isRecord(value)) return { ...noMatches, matched: value === undefined ? [] : [outer], findings }
  const inner = matchObject(value, { parent: field.path, path, keys: [field.flat!], kind: field.kind })
  const addSpelling = (match: MatchedField): MatchedField => {
    const old = spelledAs && fields.find((other) => other.path === match.field.path && other.kind === spelledAs.kind)
    return old ? { ...match, spelledAs: old } : match
  }
  const own: MatchedField = { ...outer, raw: value, encoding: 'native' }
  return { ...inner, matched: [own, ...inner.matched.map(addSpelling)], findings: [...findings, ...inner.findings] }
}

function matchOther(key: string, raw: unknown, encoding: Encoding, isForeign: boolean): FieldMatches {
  const path = joinPath('', key)
  const field = namesWithoutKey.includes(key) && fields.find((row) => row.path === key)
  if (field && encoding === 'native') return { ...noMatches, matched: [{ field, raw, path, encoding }] }
  if (field) {
    return {
      ...noMatches,
      findings: [createFinding('no-managed-key', path, 'managed preferences have no such key', 'remove it')],
    }
  }
  return { ...noMatches, unknownKeys: [{ keys: [key], value: raw }], findings: [reportOther(key, path, isForeign)] }
}

function reportOther(key: string, path: string, isForeign: boolean): Finding {
  if (isForeign && key === 'inferenceProvider') return reportForeignProvider(path)
  return isOutside(key, isForeign) ? reportOutsideSpecification(path) : reportUnknownField(path, key, flatKeys)
}

/** Whether a key belongs to another cluster, to the cloud provider, or to the provider that the document names instead. */
function isOutside(key: string, isForeign: boolean): boolean {
  if (isForeign && key.startsWith('inference')) return true
  if (findSimilar(key, flatKeys)) return false
  return !key.startsWith('inference') || key.startsWith(`inference${vendor.cloudWord}`)
}
