import { Script } from 'node:vm'

/** A script, and its compiled code for the runtime of the build. Another runtime compiles the script. */
export interface Compiled {
  readonly code: string
  readonly cache: Uint8Array | undefined
}

/** The positions of a program's pieces. */
export interface Store {
  /** Name of the chunk that exports `start`. */
  readonly entry: string
  /** The chunks that every call needs, by name. */
  readEarly(): Compiled
  /** One of the other chunks. */
  readLate(name: string): Compiled
  /** The names of the pieces with several chunks, by chunk. A call without a cached token loads them together. */
  readonly joint: Readonly<Record<string, string>>
}

/** Runs the chunks of a piece that does not need the rest of its program. */
export function runAlone(name: string, piece: Compiled, requireModule: NodeJS.Require): Record<string, object> {
  return run<Record<string, object>>(name, piece)((id) => ensureModule(id, requireModule))
}

type ModulePiece<T> = (require: (id: string) => unknown) => T

/**
 * Starts a program. A late chunk is loaded once, when it is first imported, after its own imports.
 * @param beginning The known facts of the call.
 * @param named Resolves when the names for the program's modules are known. Meanwhile the early piece is compiled.
 */
export async function start(
  store: Store,
  requireModule: NodeJS.Require,
  beginning?: unknown,
  named?: Promise<void>,
): Promise<void> {
  const require = (id: string): unknown => (id.startsWith('./') ? load(id) : ensureModule(id, requireModule))
  const loaded = new Map<string, object>()
  const load = (id: string): object => {
    const found = early[id] ?? loaded.get(id) ?? loadLate(id.slice(2))
    loaded.set(id, found)
    return found
  }
  const loadLate = (name: string): object => {
    const piece = store.joint[name]
    if (piece !== undefined) return (load(`./${piece}`) as Record<string, object>)[`./${name}`]!
    return run<object>(`./${name}`, store.readLate(name))(require)
  }
  const piece = run<Record<string, object>>('program', store.readEarly())
  if (named) await named
  const early = piece(require)
  const { start } = load(`./${store.entry}`) as { start(beginning: unknown): void }
  start(beginning)
}

/** A call of a helper, for the piece that may answer it before the program is loaded. */
interface BegunCall {
  readonly program: string
  readonly argv: readonly string[]
  /** A digest of the program's code. */
  readonly build: string
}

/** Lets the first piece answer a call, or start the program. A call that keeps no token has no memo to answer from. */
export function answerOrStart(
  { chunk, read }: { readonly chunk: string; read(): Compiled },
  call: BegunCall,
  requireModule: NodeJS.Require,
  startProgram: (beginning: unknown) => void,
): void {
  if (isWithoutCache(call.argv)) startProgram(undefined)
  else {
    const { answerOrLoad } = runAlone('beginning', read(), requireModule)[`./${chunk}`] as {
      answerOrLoad(call: BegunCall, load: typeof startProgram): void
    }
    answerOrLoad(call, startProgram)
  }
}

/** Checks only the arguments. If a variable or a file disables the cache, there is no memo, and the first piece loads the rest. */
function isWithoutCache(argv: readonly string[]): boolean {
  return argv.includes('--cache=none') || (argv.includes('--cache') && argv[argv.indexOf('--cache') + 1] === 'none')
}

function run<T>(filename: string, { code, cache }: Compiled): ModulePiece<T> {
  return new Script(code, { filename, cachedData: cache }).runInThisContext()
}

const modules = new Map<string, object>()

function ensureModule(id: string, require: NodeJS.Require): object {
  const before = modules.get(id)
  if (before) return before
  const module = createDeferred(() => require(id))
  modules.set(id, module)
  return module
}

/**
 * Creates a proxy for a module of the runtime that loads it when a member is used: loading takes time, and most calls need few modules.
 * Code that was translated from `import` copies all names of an imported module: it finds none here, and every member later through the
 * prototype. The proxy can be called and extended like `node:events`, which is a class.
 */
function createDeferred(load: () => object): object {
  let loaded: object | undefined
  const requireLoaded = () => {
    loaded ??= load()
    return loaded
  }
  const traps: ProxyHandler<object> = {
    get: (_, key) => (key === '__esModule' ? undefined : Reflect.get(requireLoaded(), key)),
    has: (_, key) => Reflect.has(requireLoaded(), key),
  }
  const prototype = new Proxy({}, traps)
  return new Proxy(createNameless(), {
    ...traps,
    getPrototypeOf: () => prototype,
    apply: (_, self, values) => Reflect.apply(requireLoaded() as Callable, self, values),
    construct: (_, values, target) => Reflect.construct(requireLoaded() as Callable, values, target),
  })
}

/** The type of a called module, which throws if it is not a function. */
type Callable = new (...values: unknown[]) => object

/** Creates a constructor without a member of its own: a bound one has no `prototype`. */
function createNameless(): object {
  const bound = class {}.bind(undefined)
  for (const name of Object.getOwnPropertyNames(bound)) Reflect.deleteProperty(bound, name)
  return bound
}
