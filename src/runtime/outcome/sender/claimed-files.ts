import { readdir, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { readCacheFile } from '../../private/read-cache-file.ts'
import { toSpoolPath } from '../spool.ts'

/** Lines that one sender alone has: it gave their file a name of its own. */
export interface ClaimedLines {
  /** The destination that they are for; `all` for those of the spool. */
  readonly destination: string
  readonly path: string
  readonly lines: readonly string[]
}

/** In milliseconds. No sender works as long: what it claimed is left over from one that was killed. */
const longestWorkMs = 60_000

/** The name of the lines that a destination did not take, which are sent once more. */
export function toKeptPath(directory: string, destination: string): string {
  return join(directory, `outcomes.kept-${destination}`)
}

/** Who claims, for whom. */
interface Claimant {
  readonly directory: string
  /** The names of the destinations that are sent to. */
  readonly destinations: readonly string[]
  readonly now: number
  /** The process id. */
  readonly process: number
}

/**
 * Claims the spool, what these destinations did not take, and what killed senders have left of that. A file is renamed, so that two
 * senders never send the same lines. Lines for another destination stay: another helper of the user may name it, or the same one
 * again. What is no file of this user alone is not read, and gets a name under which nobody appends to it.
 */
export async function attemptClaims({ directory, destinations, now, process }: Claimant): Promise<ClaimedLines[]> {
  const names = await readdir(directory)
  const claimed: ClaimedLines[] = []
  for (const [index, name] of names.sort().entries()) {
    const destination = findDestination(directory, name, now)
    if (destination === undefined || !['all', ...destinations].includes(destination)) continue
    const path = join(directory, `outcomes.claimed-${destination}-${now}-${process}-${index}`)
    claimed.push(...(await claim(join(directory, name), { destination, path })))
  }
  return claimed
}

/** Removes the files that were claimed. */
export async function removeClaimed(claimed: readonly ClaimedLines[]): Promise<void> {
  for (const { path } of claimed) await rm(path, { force: true })
}

function findDestination(directory: string, name: string, now: number): string | undefined {
  if (name === basename(toSpoolPath(directory))) return 'all'
  const [, kept] = /^outcomes\.kept-([a-z]+)$/.exec(name) ?? []
  if (kept !== undefined) return kept
  const [, left, since] = /^outcomes\.claimed-([a-z]+)-(\d+)-\d+-\d+$/.exec(name) ?? []
  // A time in the future does not count, because the clock was set back.
  const isLeftOver = since !== undefined && Math.abs(now - Number(since)) > longestWorkMs
  return isLeftOver ? left : undefined
}

async function claim(from: string, to: Omit<ClaimedLines, 'lines'>): Promise<ClaimedLines[]> {
  try {
    await rename(from, to.path)
    const text = await readCacheFile(to.path)
    return [{ ...to, lines: text.split('\n').filter((line) => line !== '') }]
  } catch {
    return [] // another sender has it, or it is no file of ours
  }
}
