import { isObject, type RawObject } from '../runtime/values/json-value.ts'
import { joinPath, type Position, type Positions } from '../runtime/values/position.ts'

/** The location of a value in the files of a rollout. */
export interface Origin extends Position {
  /** The file, as its path in the folder. */
  readonly file: string
}

/** A JSON value with the origin of each member. It is never changed. */
export type JsonTree = Branch | Leaf

/** Any other value, including an array, which JSON Merge Patch replaces as a whole. */
interface Leaf {
  readonly value: unknown
  readonly origin: Origin
}

/** A JSON object whose members keep the file and the position of their origin. */
export interface Branch {
  readonly members: ReadonlyMap<string, JsonTree>
  readonly origin: Origin
}

/** Returns whether a tree is a JSON object, so that a patch changes its members instead of replacing it (RFC 7396, section 2). */
export function isBranch(tree: JsonTree | undefined): tree is Branch {
  return tree !== undefined && 'members' in tree
}

/** Adds the origin to each value of a file; a value without a position has that of its object. */
export function toTree(value: RawObject, file: string, positions: Positions): Branch {
  const build = (inner: unknown, path: string, outer: Origin): JsonTree => {
    const origin = { file, ...(positions.get(path) ?? outer) }
    if (!isObject(inner)) return { value: inner, origin }
    const members = Object.entries(inner).map(
      ([key, member]) => [key, build(member, joinPath(path, key), origin)] as const,
    )
    return { members: new Map(members), origin }
  }
  return build(value, '', { file, line: 1, column: 1 }) as Branch // an object always becomes a branch
}

/** Receives the origin of a patch's member that removes or replaces a value. */
type ObserveEffect = (patch: Origin) => void

/**
 * Applies a patch to a target (RFC 7396, section 2): the patch's members replace those of the target, and `null` removes a member.
 * @param observe Called for each removal that has an effect.
 */
export function applyPatch(target: JsonTree | undefined, patch: JsonTree, observe: ObserveEffect): JsonTree {
  if (!isBranch(patch)) return patch
  const old = isBranch(target) ? target : undefined
  const members = new Map(old?.members)
  for (const [key, value] of patch.members) {
    if (!isBranch(value) && value.value === null) {
      if (members.delete(key)) observe(value.origin)
    } else members.set(key, applyPatch(members.get(key), value, observe))
  }
  return { members, origin: old?.origin ?? patch.origin }
}

/** Returns the value of a tree with sorted keys, so that equal values have equal texts. */
export function toSortedValue(tree: JsonTree): unknown {
  if (!isBranch(tree)) return sortKeys(tree.value)
  const keys = [...tree.members.keys()].toSorted()
  return Object.fromEntries(keys.map((key) => [key, toSortedValue(tree.members.get(key)!)]))
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((key) => [key, sortKeys(value[key])]),
  )
}

/** Returns the origin of every object and value in a tree, by the path that findings use. */
export function toOrigins(tree: JsonTree): Map<string, Origin> {
  const origins = new Map<string, Origin>()
  const add = (inner: JsonTree, path: string) => {
    if (path !== '') origins.set(path, inner.origin)
    if (isBranch(inner)) for (const [key, member] of inner.members) add(member, joinPath(path, key))
  }
  add(tree, '')
  return origins
}

/** A value that two patches set differently. */
export interface PatchConflict {
  readonly path: string
  readonly first: Origin
  readonly second: Origin
}

/** Lists every value whose result depends on which of two patches is applied last. */
export function compareTrees(first: JsonTree, second: JsonTree, path = ''): PatchConflict[] {
  if (isBranch(first) && isBranch(second))
    return [...first.members].flatMap(([key, member]) => {
      const other = second.members.get(key)
      return other ? compareTrees(member, other, joinPath(path, key)) : []
    })
  const isSame = !isBranch(first) && !isBranch(second) && toText(first) === toText(second)
  return isSame ? [] : [{ path, first: first.origin, second: second.origin }]
}

function toText({ value }: Leaf): string {
  return JSON.stringify(sortKeys(value))
}
