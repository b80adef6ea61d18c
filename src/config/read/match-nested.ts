import { isRecord, type RawObject } from '../../runtime/json/json-value.ts'
import { joinPath } from '../../runtime/json/position.ts'
import type { CredentialKind } from '../document.ts'
import { type Field, findFlatKey, toFieldName, toParentPath } from '../field.ts'
import { fields } from '../fields.ts'
import type { Finding } from '../finding.ts'
import { createFinding } from '../finding.ts'
import { findKind } from './credential-kind.ts'
import { type FieldMatches, type MatchedField, mergeMatches, noMatches } from './matched-field.ts'
import {
  findSimilar,
  isForeignProvider,
  reportForeignProvider,
  reportOutsideSpecification,
  reportUnknownField,
} from './unknown-key.ts'

/** Finds the row of every value in a nested document. */
export function matchNested(entries: RawObject): FieldMatches {
  const inference = isRecord(entries.inference) ? entries.inference : {}
  if (isForeignProvider(inference.provider)) return matchForeign(entries)
  const credential = isRecord(inference.credential) ? inference.credential : {}
  const present = Object.keys(credential).flatMap((key) => listRows('inference.credential', key).slice(0, 1))
  const { kind, implied, findings } = findKind(credential.kind, present, 'inference.credential.kind')
  const matches = matchObject(entries, { parent: '', path: '', keys: [], kind })
  return preferSpecifiedPath(mergeMatches([{ ...noMatches, matched: implied, findings }, matches]))
}

/** The position of an object in a document. */
interface Position {
  /** Its path in the field table. */
  readonly parent: string
  /** Its path or key as the file spells it. */
  readonly path: string
  /** The keys under which a conversion writes its unknown keys. */
  readonly keys: readonly string[]
  readonly kind: CredentialKind | undefined
}

/** Finds the rows of an object's values, and of the objects inside it. */
export function matchObject(object: RawObject, at: Position): FieldMatches {
  return mergeMatches(Object.entries(object).map(([key, raw]) => matchEntry(key, raw, at)))
}

/** The matches for a field of another credential kind than the document's. */
export function matchUnused(unused: MatchedField, kind: CredentialKind | undefined): FieldMatches {
  const [message, hint] = kind
    ? [`the credential's kind is "${kind}", which does not read this field`, 'remove it']
    : ['it is not read while the credential has no kind', "set the credential's kind"]
  return { ...noMatches, unused: [unused], findings: [createFinding('other-kind', unused.path, message, hint)] }
}

/** A field that published clients read although the specification does not list it. */
export function reportNotInSpecification(path: string): Finding {
  return createFinding(
    'not-in-specification',
    path,
    'clients were seen to read this, though the specification does not list it',
    '',
  )
}

function matchEntry(key: string, raw: unknown, at: Position): FieldMatches {
  const path = joinPath(at.path, key)
  const rows = listRows(at.parent, key)
  const field = rows.find((row) => row.kind === undefined || row.kind === at.kind)
  if (!field && rows[0]) return matchUnused({ field: rows[0], raw, path, encoding: 'native' }, at.kind)
  if (!field) return matchUnknown(key, raw, path, at)
  const findings = field.observed || path === field.alternatePath ? [reportNotInSpecification(path)] : []
  if (field.rule.type !== 'object' || !isRecord(raw)) {
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

function matchUnknown(key: string, value: unknown, path: string, at: Position): FieldMatches {
  return {
    ...noMatches,
    unknownKeys: [{ keys: [...at.keys, key], value }],
    findings: [reportUnknown(key, value, path, at)],
  }
}

function reportUnknown(key: string, value: unknown, path: string, at: Position): Finding {
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
  if (at.parent === '' && isRecord(value) && !findSimilar(key, siblings)) return reportOutsideSpecification(path)
  return reportUnknownField(path, key, siblings)
}

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

/** Where a field has a value at both of its paths, the value at the specified path is used. */
function preferSpecifiedPath(matches: FieldMatches): FieldMatches {
  const isOverridden = ({ field, path }: MatchedField) =>
    path !== field.path && matches.matched.some((other) => other.path === field.path)
  const overridden = matches.matched.filter(isOverridden)
  const findings = overridden.map(({ field, path }) =>
    createFinding('spelling-overridden', path, `${field.path} is set too, and is used instead`, 'remove this one'),
  )
  return {
    ...matches,
    matched: matches.matched.filter((match) => !isOverridden(match)),
    findings: [...matches.findings, ...findings],
  }
}
