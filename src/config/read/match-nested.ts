import type { CredentialKind } from '../document.ts'
import { type Field, findFlatKey, toFieldName, toParentPath } from '../field.ts'
import { fields } from '../fields.ts'
import type { Finding } from '../finding.ts'
import { finding, joinPath } from '../finding.ts'
import { isRecord, type RawObject } from '../raw.ts'
import { findKind } from './credential-kind.ts'
import { type FieldMatches, type MatchedField, mergeMatches, noMatches } from './matched-field.ts'
import { isForeignProvider, outsideSpecification, unknownField } from './unknown-key.ts'

/** Finds the row of every value in a nested document. */
export function matchNested(entries: RawObject): FieldMatches {
  const inference = isRecord(entries.inference) ? entries.inference : {}
  if (isForeignProvider(inference.provider)) return placeForeign(entries)
  const credential = isRecord(inference.credential) ? inference.credential : {}
  const present = Object.keys(credential).flatMap((key) => rowsAt('inference.credential', key).slice(0, 1))
  const { kind, implied, findings } = findKind(credential.kind, present, 'inference.credential.kind')
  const placement = matchObject(entries, { parent: '', path: '', keys: [], kind })
  return settleTwins(mergeMatches([{ ...noMatches, placed: implied, findings }, placement]))
}

/** Where an object stands. */
export interface Position {
  /** In the table. */
  readonly parent: string
  /** As the file spells it. */
  readonly path: string
  /** Where a conversion would write what is unknown in it. */
  readonly keys: readonly string[]
  readonly kind: CredentialKind | undefined
}

/** Finds the rows of an object's values, and of the objects in it. */
export function matchObject(object: RawObject, at: Position): FieldMatches {
  return mergeMatches(Object.entries(object).map(([key, raw]) => placeEntry(key, raw, at)))
}

/** The placement of a field of a credential kind other than the document's. */
export function placeUnused(unused: MatchedField, kind: CredentialKind | undefined): FieldMatches {
  const [message, hint] = kind
    ? [`the credential's kind is "${kind}", which does not read this field`, 'remove it']
    : ['it is not read while no kind of credential is settled', 'settle the kind']
  return { ...noMatches, unused: [unused], findings: [finding('other-kind', unused.path, message, hint)] }
}

/** The finding for what clients were seen to read beyond the specification. */
export function notInSpecification(path: string): Finding {
  return finding(
    'not-in-specification',
    path,
    'clients were seen to read this, though the specification does not list it',
    '',
  )
}

function placeEntry(key: string, raw: unknown, at: Position): FieldMatches {
  const path = joinPath(at.path, key)
  const rows = rowsAt(at.parent, key)
  const field = rows.find((row) => row.kind === undefined || row.kind === at.kind)
  if (!field && rows[0]) return placeUnused({ field: rows[0], raw, path, encoding: 'native' }, at.kind)
  if (!field) return placeUnknown(key, raw, path, at)
  const findings = field.seen || path === field.alsoAt ? [notInSpecification(path)] : []
  if (field.rule.type !== 'cluster' || !isRecord(raw)) {
    return { ...noMatches, placed: [{ field, raw, path, encoding: 'native' }], findings }
  }
  const inner = matchObject(raw, {
    ...at,
    parent: field.path,
    path,
    keys: path === field.alsoAt ? field.path.split('.') : [...at.keys, key],
  })
  return { ...inner, findings: [...findings, ...inner.findings] }
}

function placeUnknown(key: string, value: unknown, path: string, at: Position): FieldMatches {
  return {
    ...noMatches,
    kept: [{ keys: [...at.keys, key], value }],
    findings: [validateUnknown(key, value, path, at)],
  }
}

function validateUnknown(key: string, value: unknown, path: string, at: Position): Finding {
  const misplaced = at.parent === '' && fields.find((field) => findFlatKey(field) === key)
  if (misplaced) {
    return finding(
      'flat-key-in-nested',
      path,
      'a nested document does not read flat keys',
      `write it as ${misplaced.path}, or make the whole document flat`,
    )
  }
  if (at.parent === '' && isRecord(value)) return outsideSpecification(path)
  const siblings = fields.filter(
    (field) => toParentPath(field) === at.parent && (!field.kind || field.kind === at.kind),
  )
  return unknownField(path, key, siblings.map(toFieldName))
}

function rowsAt(parent: string, key: string): Field[] {
  return fields.filter(
    (field) => (toParentPath(field) === parent && toFieldName(field) === key) || field.alsoAt === `${parent}.${key}`,
  )
}

function placeForeign({ inference, ...rest }: RawObject): FieldMatches {
  const kept = {
    ...noMatches,
    kept: [{ keys: ['inference'], value: inference }],
    findings: [outsideSpecification('inference')],
  }
  return mergeMatches([matchObject(rest, { parent: '', path: '', keys: [], kind: undefined }), kept])
}

/** Where a field stands at both of its places, the specified one counts. */
function settleTwins(placement: FieldMatches): FieldMatches {
  const isTwin = ({ field, path }: MatchedField) =>
    path !== field.path && placement.placed.some((other) => other.path === field.path)
  const overridden = placement.placed.filter(isTwin)
  const findings = overridden.map(({ field, path }) =>
    finding('spelling-overridden', path, `${field.path} stands as well, and counts`, 'remove this one'),
  )
  return {
    ...placement,
    placed: placement.placed.filter((placed) => !isTwin(placed)),
    findings: [...placement.findings, ...findings],
  }
}
