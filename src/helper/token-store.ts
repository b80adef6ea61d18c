import { processId } from '../runtime/host.ts'
import { type LockHolder, readHolder, removeHolder, tryLock, writeHolder } from './entry-lock.ts'
import { CacheRefusal, entryPath, prepareDirectory, readEntry, sweepExpired, writeEntry } from './token-cache.ts'
import type { TokenEntry } from './token-entry.ts'

/** The right to mint for one key, while nobody else has it. */
export interface Turn {
  release(): Promise<void>
}

/** One key's place in the token cache, with the lock that lets one process mint for it at a time. */
export interface TokenStore {
  read(): Promise<TokenEntry | undefined>
  write(entry: TokenEntry, now: number): Promise<void>
  /** `busy` while another process has the lock, `unusable` where there can be none. */
  tryLock(now: number): Promise<Turn | 'busy' | 'unusable'>
  findHolder(): Promise<LockHolder | undefined>
}

export interface StorePlace {
  readonly directory: string
  readonly program: string
  readonly key: string
  /** Told once, whatever goes wrong how often: a cache that cannot be used costs time, never the credential. */
  readonly warn: (message: string) => void
}

/** The store on disk. It never throws: what cannot be used is told and passed over. */
export function openStore({ directory, program, key, warn }: StorePlace): TokenStore {
  const path = entryPath(directory, program, key)
  const lockPath = path.replace(/json$/, 'lock')
  const holderPath = path.replace(/json$/, 'holder')
  let hasWarned = false
  const orWarn = async <T>(what: string, work: () => Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      if (!hasWarned) warn(`${what}: ${reasonOf(error)}`)
      hasWarned = true
      return otherwise
    }
  }
  return {
    read: () => orWarn('cannot use the token cache', () => readEntry(path), undefined),
    write: (entry, now) =>
      orWarn(
        'cannot keep the token for the next run',
        async () => {
          await writeEntry(directory, path, entry)
          await sweepExpired(directory, now)
        },
        undefined,
      ),
    tryLock: (now) =>
      orWarn<Turn | 'busy' | 'unusable'>(
        'cannot use the token cache',
        async () => {
          await prepareDirectory(directory)
          const lock = await tryLock(lockPath)
          if (!lock) return 'busy'
          await writeHolder(holderPath, { pid: processId(), since: now })
          return {
            release: async () => {
              await removeHolder(holderPath)
              lock.release()
            },
          }
        },
        'unusable',
      ),
    findHolder: () => readHolder(holderPath),
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof CacheRefusal) return error.message
  const { code, path } = error as NodeJS.ErrnoException
  return `${code ?? 'unknown error'}${path ? ` at ${path}` : ''}`
}
