export type Tree = Record<string, unknown>

/** Sets a value deep in an object, making the objects on the way. Every key becomes an own property, whatever its name. */
export function setIn(tree: Tree, keys: readonly string[], value: unknown): void {
  const [key, ...rest] = keys
  if (key === undefined) return
  if (rest.length === 0)
    Object.defineProperty(tree, key, { value, enumerable: true, configurable: true, writable: true })
  else setIn(ownObject(tree, key), rest, value)
}

function ownObject(tree: Tree, key: string): Tree {
  const existing = Object.hasOwn(tree, key) ? tree[key] : undefined
  if (typeof existing === 'object' && existing !== null) return existing as Tree
  setIn(tree, [key], {})
  return tree[key] as Tree
}
