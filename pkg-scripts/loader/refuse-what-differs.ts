/** The world while a snapshot is built: whoever asks it for what differs from run to run is refused. */
export interface ClosedWorld {
  /** Puts everything back in its place, before the snapshot is taken. */
  restore(): void
  /** From now on what was taken while the snapshot was built works as well: called when a run starts. */
  open(): void
  isBuilding(): boolean
  /** Throws while the snapshot is built. */
  refuse(what: string): void
}

/** Closes environment, clock, random numbers and cryptography, in place of which one run's would be kept for all. */
export function refuseWhatDiffers(): ClosedWorld {
  let isClosed = true
  const refuse = (what: string) => {
    if (isClosed) throw new Error(`a snapshot cannot hold ${what}`)
  }
  const guard = <A extends unknown[], R>(what: string, real: (...args: A) => R) => {
    return (...args: A): R => {
      refuse(what)
      return real(...args)
    }
  }
  const findEnvironment = guard('the environment', () => process.env)
  const findCrypto = guard('cryptography', () => globalThis.crypto)
  const replaced = [
    replace(process, 'env', standIn(findEnvironment)),
    replace(process, 'cwd', guard('the current directory', process.cwd)),
    replace(Math, 'random', guard('a random number', Math.random)),
    replace(
      globalThis,
      'Date',
      guardClock(() => refuse('the time')),
    ),
    // Loading the real one is what a snapshot cannot hold, so each member is found when it is called.
    replace(globalThis, 'crypto', standInOfDeferred(findCrypto)),
  ]
  return {
    restore: () => {
      for (const putBack of replaced) putBack()
    },
    open: () => {
      isClosed = false
    },
    isBuilding: () => isClosed,
    refuse,
  }
}

/** Stands for a function or an object that may be named while the snapshot is built, and is found when it is used. */
export function defer(find: () => unknown): unknown {
  const real = () => find() as (...args: unknown[]) => unknown
  // Of a class, because it can be called, constructed and extended.
  return new Proxy(class {}, {
    apply: (_, self, args) => Reflect.apply(real(), self, args),
    construct: (_, args) => Reflect.construct(real(), args),
    get: (_, key) => Reflect.get(real(), key),
    has: (_, key) => Reflect.has(real(), key),
  })
}

function replace<T extends object>(owner: T, key: keyof T & string, value: unknown): () => void {
  const real = Object.getOwnPropertyDescriptor(owner, key)!
  Object.defineProperty(owner, key, { configurable: true, value })
  return () => {
    Object.defineProperty(owner, key, real)
  }
}

/** An object whose members are those of the one that is found when they are read. */
function standIn(find: () => object): object {
  const traps: ProxyHandler<object> = {
    get: (_, key) => Reflect.get(find(), key),
    has: (_, key) => Reflect.has(find(), key),
    ownKeys: () => Reflect.ownKeys(find()),
    getOwnPropertyDescriptor: (_, key) => ({ ...Reflect.getOwnPropertyDescriptor(find(), key), configurable: true }),
  }
  return new Proxy({}, traps)
}

/** Dates can be made, but not of the moment. */
function guardClock(refuse: () => void): DateConstructor {
  const { now } = Date
  const checkedNow = () => {
    refuse()
    return now()
  }
  return new Proxy(Date, {
    get: (real, key) => (key === 'now' ? checkedNow : Reflect.get(real, key)),
    construct: (real, args, self) => {
      if (args.length === 0) refuse()
      return Reflect.construct(real, args, self)
    },
  })
}

function standInOfDeferred(find: () => object): object {
  return new Proxy({}, { get: (_, key) => defer(() => Reflect.get(find(), key)) })
}
