import { isDeepStrictEqual } from 'node:util'
import { hideFieldSecrets } from '../config/compare-documents.ts'
import type { Field } from '../config/field.ts'
import { fields, findConsent } from '../config/fields.ts'
import { isObject, type RawObject } from '../runtime/values/json-value.ts'
import { joinPath } from '../runtime/values/position.ts'
import type { BuiltDocument } from './build-documents.ts'
import type { LoadedRelease } from './open-release.ts'
import { toCombinationKey } from './release.ts'

/** A change, and the people whom it concerns. */
export interface ReleaseChange extends Change {
  readonly combinations: readonly (readonly string[])[]
}

/**
 * Lists the differences from another release, for each combination of groups. A group that the other release lacks is omitted there; for a
 * combination that it lacks, every value is new.
 */
export function compareRelease(documents: readonly BuiltDocument[], live: LoadedRelease): ReleaseChange[] {
  const known = new Set(live.groups.map(({ name }) => name))
  const found = new Map<string, { change: Change; combinations: (readonly string[])[] }>()
  for (const { groups, text } of documents) {
    const before = live.documents.get(toCombinationKey(groups.filter((name) => known.has(name))))
    for (const change of compareValues(before?.value ?? {}, JSON.parse(text) as RawObject)) {
      const key = JSON.stringify(change)
      const entry = found.get(key) ?? { change, combinations: [] }
      entry.combinations.push(groups)
      found.set(key, entry)
    }
  }
  return [...found.values()].map(({ change, combinations }) => ({ ...change, combinations }))
}

/** A value that is new, changed or removed for some people. Secrets are masked. */
interface Change {
  readonly kind: 'gained' | 'lost' | 'changed'
  readonly path: string
  readonly before?: unknown
  readonly after?: unknown
  /** Whether people are asked to agree before the new value takes effect. */
  readonly consent: 'asked' | 'not asked'
}

/** Lists every value that differs between two documents in the nested form, by its path. */
function compareValues(before: RawObject, after: RawObject): Change[] {
  const [old, now] = [toLeaves(before), toLeaves(after)]
  const paths = [...new Set([...old.keys(), ...now.keys()])].toSorted()
  return paths.flatMap((path) => {
    const [was, is] = [old.get(path), now.get(path)]
    if (was && is && isDeepStrictEqual(was.value, is.value)) return []
    const consent = is?.field && findConsent(is.field) ? 'asked' : 'not asked'
    const kind = was && is ? 'changed' : is ? 'gained' : 'lost'
    return [
      { kind, path, ...(was && { before: hideSecret(was) }), ...(is && { after: hideSecret(is) }), consent } as const,
    ]
  })
}

/** A value of a document, with its row in the field table if it has one. */
interface DocumentLeaf {
  readonly name: string
  readonly value: unknown
  readonly field: Field | undefined
}

/** Lists every value of a document by its path. An array, or an empty object, is one value. */
export function toLeaves(document: RawObject): Map<string, DocumentLeaf> {
  const kind = findKind(document)
  const leaves = new Map<string, DocumentLeaf>()
  const add = (value: unknown, path: string, keys: readonly string[]) => {
    if (isObject(value) && Object.keys(value).length > 0) {
      for (const [key, member] of Object.entries(value)) add(member, joinPath(path, key), [...keys, key])
    } else if (path !== '$schemaVersion') leaves.set(path, { name: keys.at(-1)!, value, field: findField(keys, kind) })
  }
  add(document, '', [])
  return leaves
}

/** Masks the value for display if it is a credential. */
export function hideSecret({ name, value, field }: DocumentLeaf): unknown {
  if (field?.rule.type !== 'header-map' || isObject(value)) return field ? hideFieldSecrets(field, value) : value
  return (hideFieldSecrets(field, { [name]: String(value) }) as Record<string, string>)[name]
}

function findKind({ inference }: RawObject): unknown {
  return isObject(inference) && isObject(inference.credential) ? inference.credential.kind : undefined
}

/** Finds the row of a value, or of the map of headers that contains it. */
function findField(keys: readonly string[], kind: unknown): Field | undefined {
  const path = keys.join('.')
  const outer = keys.slice(0, -1).join('.')
  const rows = fields.filter((row) => !row.kind || row.kind === kind)
  return (
    rows.find((row) => row.path === path) ?? rows.find((row) => row.path === outer && row.rule.type === 'header-map')
  )
}
