/** What a packed program is made of; `pack.ts` writes it before the loader. */
export interface Packed {
  /** Name of the chunk that exports `start`. */
  readonly entry: string
  /** Chunks that a snapshot holds loaded. */
  readonly early: readonly string[]
  /** A chunk that is kept as text is compiled when it is first asked for. */
  readonly chunks: Readonly<Record<string, Chunk | string>>
}

export type Chunk = (exports: object, module: { exports: object }, require: (id: string) => unknown) => void

/** Loads a chunk once, and what it imports before it. */
export type Load = (name: string) => object

/** Gives every chunk its imports: of another chunk at once, of a module of the runtime through `findModule`. */
export function createLoad(packed: Packed, loaded: Map<string, { exports: object }>, findModule: FindModule): Load {
  const load: Load = (name) => {
    const before = loaded.get(name)
    if (before) return before.exports
    const module = { exports: {} }
    loaded.set(name, module)
    const chunk = packed.chunks[name]!
    const run = typeof chunk === 'string' ? compile(name, chunk) : chunk
    run(module.exports, module, (id) => (id.startsWith('./') ? load(id.slice(2)) : whenUsed(id, findModule)))
    return module.exports
  }
  return load
}

/** A member of a module of the runtime. */
export type FindModule = (id: string) => { read(key: PropertyKey): unknown; has(key: PropertyKey): boolean }

function compile(name: string, code: string): Chunk {
  const { Script } = require('node:vm')
  return new Script(`(exports,module,require)=>{${code}\n}`, { filename: name }).runInThisContext()
}

/**
 * Stands for a module of the runtime until a member of it is used. Code that was translated from `import` copies all
 * names of what it imports: it finds none here, and every member later through the prototype.
 */
function whenUsed(id: string, findModule: FindModule): object {
  const traps: ProxyHandler<object> = {
    get: (_, key) => (key === '__esModule' ? undefined : findModule(id).read(key)),
    has: (_, key) => findModule(id).has(key),
  }
  const prototype = new Proxy({}, traps)
  return new Proxy({}, { ...traps, getPrototypeOf: () => prototype })
}
