/** A nested object that is being built. */
export type Tree = Record<string, unknown>

/** Sets a value at a path of keys and creates missing objects. Every key becomes an own property, `__proto__` included. */
export function setIn(tree: Tree, keys: readonly string[], value: unknown): void {
  const [key, ...rest] = keys
  if (key === undefined) return
  if (rest.length === 0)
    Object.defineProperty(tree, key, { value, enumerable: true, configurable: true, writable: true })
  else setIn(ensureObject(tree, key), rest, value)
}

function ensureObject(tree: Tree, key: string): Tree {
  const existing = Object.hasOwn(tree, key) ? tree[key] : undefined
  if (typeof existing === 'object' && existing !== null) return existing as Tree
  setIn(tree, [key], {})
  return tree[key] as Tree
}
