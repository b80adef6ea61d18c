import { constants } from 'node:fs'
import { open, readdir, rm } from 'node:fs/promises'
import { detectRefresh, detectStatedCause, isSuspected, listHeld, type Suspicion } from '../../contract/refresh.ts'
import { Deadline } from '../../runtime/deadline.ts'
import { safeOpenFlags } from '../../runtime/disk.ts'
import { readCacheFile } from '../../runtime/files/private-files.ts'
import { findParentProcessId, type Host } from '../../runtime/host.ts'
import type { Call, Refresh } from '../define-helper.ts'
import { longestNote, parseHandOuts, renderHandOut, type TokenHandOut } from './append-hand-out.ts'
import { type EntryLocation, isEntry, parseCacheFile, toCacheFilePath } from './cache-files.ts'
import { readEntry, type TokenEntry } from './entry.ts'
import { parseEntryOutline } from './sealed-entry.ts'

/** The parts of a request that decide what a hand-out means. */
export interface AskedToken {
  readonly clientTtlSec: number
  /** When a further run by the same process of the client says that its token was refused; absent if that means nothing. */
  readonly suspicion?: Suspicion | undefined
  /** Whether a person asks what would be used, so that nobody is handed a token. */
  readonly isExplained?: boolean | undefined
}

/** Whether the token of an entry may be one that was refused: nobody is served it any more. */
export type IsRefused = (entry: Pick<TokenEntry, 'digest' | 'minted'>) => boolean

/** The conclusions from a client's process that asks again. */
export interface RunPurpose {
  /** In `mid-session-refresh`. */
  readonly refresh?: Refresh
  /** Absent where no token was refused. */
  readonly isRefused?: IsRefused
  /** Detects a token that only seems to be refused: it is still served if there is no other. */
  readonly isSuspected?: IsRefused
}

/** Finds out what a run is for, by what the client's process was handed before. */
export async function findRefusal(
  location: EntryLocation,
  { clock, env }: Pick<Host, 'clock' | 'env'>,
  call: Call,
  { clientTtlSec, suspicion }: AskedToken,
): Promise<RunPurpose> {
  const stage = `reading the token cache in ${location.directory}`
  const handOuts = await call.deadline.during('cache', stage, () => readHandOuts(location))
  const { startedAt, bootedAt = 0 } = clock
  const process = findParentProcessId()
  if (suspicion) {
    const isAsked: IsRefused = ({ digest, minted }) =>
      isSuspected(handOuts, suspicion, { process, startedAt, now: clock.now(), digest, minted })
    return suspicion.evidence === 'refusal' ? { isRefused: isAsked } : { isSuspected: isAsked }
  }
  const held = listHeld(handOuts, process, startedAt)
  const statedCause = detectStatedCause(env)
  const detected = detectRefresh(held, { startedAt, bootedAt, clientTtlSec, statedCause })
  const isNewRefusal = detected.cause === 'refused' && !detected.isRepeated
  // A script around the helper is another process each time: what it says is meant for what was handed out last.
  const lost = held.length > 0 ? held : handOuts.filter(({ at }) => at <= startedAt).slice(-1)
  const refused = new Set(isNewRefusal ? lost.map(({ digest }) => digest) : [])
  return {
    refresh: { ...detected, refused, heldSince: (isNewRefusal ? lost : held)[0]?.at },
    ...(isNewRefusal && { isRefused: ({ digest }) => digest !== undefined && refused.has(digest) }),
  }
}

/** In seconds: the time for removing, also after the deadline of a call that waited for another token and got none. */
const longestRemovalSec = 1

/**
 * Removes every entry of a helper whose token was refused: those of other options may hold the same one. An entry that cannot be
 * removed is served until it can be.
 */
export async function removeRefused(
  { directory, program }: EntryLocation,
  isRefused: IsRefused,
  { clock }: Pick<Host, 'clock'>,
): Promise<void> {
  const limit = { seconds: clock.elapsedMs() / 1000 + longestRemovalSec, hint: 'run the same command again' }
  const deadline = new Deadline(limit, clock)
  const work = async () => {
    const names = await readdir(directory)
    const files = names.flatMap((name) => parseCacheFile(directory, name) ?? [])
    for (const { location, kind } of files.filter((file) => isEntry(file.kind) && file.location.program === program)) {
      const path = toCacheFilePath(location, kind)
      const reading = kind === 'entry' ? readEntry(location) : readCacheFile(path).then(parseEntryOutline)
      const entry = await reading.catch(() => undefined) // removed meanwhile, or shared with others: nobody is served it
      // The file is not overwritten before it is removed: another run that reads it sees the whole entry, or none.
      if (entry && isRefused(entry)) await rm(path, { force: true })
    }
  }
  await deadline.during('cache', `removing the refused token from ${directory}`, work).catch(() => undefined)
}

/** Reads which processes the tokens of a key were handed to; nothing where there is no note, or one that cannot be read. */
export async function readHandOuts(location: EntryLocation): Promise<TokenHandOut[]> {
  const path = toCacheFilePath(location, 'served')
  const text = await readCacheFile(path).catch(() => '')
  const handOuts = parseHandOuts(text)
  // A long note is shortened to what its processes hold; where that cannot be written, the next reader tries it again.
  if (text.length > longestNote / 2) await writeShorter(path, handOuts).catch(() => undefined)
  return handOuts
}

/** How many hand-outs are kept of a note that is shortened, a third of those that it has room for. */
const maxKept = 400

/**
 * All hand-outs to the processes that were handed a token last: with a part of them a refresh would be taken for a refusal.
 * Hand-outs that another run notes meanwhile are lost.
 */
async function writeShorter(path: string, handOuts: readonly TokenHandOut[]): Promise<void> {
  const file = await open(path, constants.O_WRONLY | constants.O_TRUNC | constants.O_APPEND | safeOpenFlags)
  await file.writeFile(dropReplaced(handOuts, maxKept).map(renderHandOut).join('')).finally(() => file.close())
}

/**
 * The same hand-outs, as far as {@link listHeld} gives the same of the processes that were handed one last.
 * @param most No further process is kept above this number of hand-outs.
 */
export function dropReplaced(handOuts: readonly TokenHandOut[], most: number): TokenHandOut[] {
  const latestFirst = new Set(handOuts.map(({ process }) => process).reverse())
  let kept: TokenHandOut[] = []
  for (const process of latestFirst) {
    const held = listHeld(handOuts, process).slice(-maxKept)
    // A refresh takes the place of one before it, which is therefore there once more.
    const replaced = held.filter(({ kind }) => kind === 'refused' || kind === 'expired')
    kept = [...replaced.map(() => ({ ...held[0]!, kind: 'given' as const })), ...held, ...kept]
    if (kept.length > most) break
  }
  return kept
}
