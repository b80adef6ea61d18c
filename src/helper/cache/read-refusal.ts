// Reads from earlier hand-outs why a run was started, and removes tokens that were refused.

import { constants } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { detectRefresh, detectStatedCause, isSuspected, listHeld, type Suspicion } from '../../contract/refresh.ts'
import { Deadline } from '../../runtime/deadline.ts'
import { safeOpenFlags } from '../../runtime/disk.ts'
import { readCacheFile } from '../../runtime/files/private-files.ts'
import { type Host, observeParentProcessId } from '../../runtime/host.ts'
import type { Call, Refresh } from '../define-helper.ts'
import { longestNote, parseHandOuts, renderHandOut, type TokenHandOut } from './append-hand-out.ts'
import { type EntryLocation, isEntry, listCacheFiles, nameCacheStep, toCacheFilePath } from './cache-files.ts'
import type { TokenEntry } from './entry.ts'
import { readOutline } from './sealed-entry.ts'

/** The parts of a request that decide what a hand-out means. */
export interface AskedToken {
  readonly clientTtlSec: number
  /** See {@link Suspicion}; absent if a repeated request says nothing about the token. */
  readonly suspicion?: Suspicion | undefined
  /** Whether this is `--explain`, which prints no token, so that no process gets one. */
  readonly isExplained?: boolean | undefined
}

/** Whether the gateway may have refused the token of an entry. Such a token is never served again. */
export type IsRefused = (entry: Pick<TokenEntry, 'digest' | 'minted'>) => boolean

/** The conclusions from the tokens that the client's process got before this run. */
export interface RunPurpose {
  /** Present in the context `mid-session-refresh`. */
  readonly refresh?: Refresh
  /** Absent if the gateway has refused no token. */
  readonly isRefused?: IsRefused
  /** Matches a token that may have been refused. It is served only if no other token can be minted. */
  readonly isSuspected?: IsRefused
}

/** Derives the reason of a run from the tokens that the client's process got before, and from the context. */
export async function readRefusal(
  location: EntryLocation,
  { clock, env }: Pick<Host, 'clock' | 'env'>,
  { deadline }: Pick<Call, 'deadline'>,
  { clientTtlSec, suspicion }: AskedToken,
): Promise<RunPurpose> {
  const stage = nameCacheStep('reading', location)
  const handOuts = await deadline.during('cache', stage, () => readHandOuts(location))
  const { startedAt, bootedAt = 0 } = clock
  const process = observeParentProcessId()
  if (suspicion) {
    const isAsked: IsRefused = ({ digest, minted }) =>
      isSuspected(handOuts, suspicion, { process, startedAt, now: clock.now(), digest, minted })
    return suspicion.evidence === 'refusal' ? { isRefused: isAsked } : { isSuspected: isAsked }
  }
  const held = listHeld(handOuts, process, startedAt)
  const statedCause = detectStatedCause(env)
  const detected = detectRefresh(held, { startedAt, bootedAt, clientTtlSec, statedCause })
  const isNewRefusal = detected.cause === 'refused' && !detected.isRepeated
  // If a script wraps the helper, each run has another parent process. Then the refusal concerns the token that was given last.
  const lost = held.length > 0 ? held : handOuts.filter(({ at }) => at <= startedAt).slice(-1)
  const refused = new Set(isNewRefusal ? lost.map(({ digest }) => digest) : [])
  return {
    refresh: { ...detected, refused, heldSince: (isNewRefusal ? lost : held)[0]?.at },
    ...(isNewRefusal && { isRefused: ({ digest }) => digest !== undefined && refused.has(digest) }),
  }
}

/** In seconds. Removing takes place even after the deadline of a call that waited for another token in vain. */
const longestRemovalSec = 1

/**
 * Removes every entry of a helper whose token was refused, because entries for other options may hold the same token. An entry that cannot
 * be removed may be served again until a later run removes it.
 */
export async function removeRefused(
  { directory, program }: EntryLocation,
  isRefused: IsRefused,
  { clock }: Pick<Host, 'clock'>,
): Promise<void> {
  const limit = { seconds: clock.elapsedMs() / 1000 + longestRemovalSec, hint: 'run the same command again' }
  const deadline = new Deadline(limit, clock)
  const work = async () => {
    const files = await listCacheFiles(directory)
    for (const { location, kind } of files.filter((file) => isEntry(file.kind) && file.location.program === program)) {
      // Without an outline it was removed since, or is unsafe to read, and so never served.
      const entry = await readOutline(location, kind === 'sealed' ? 'sealed' : 'entry').catch(() => undefined)
      // The file is not overwritten first, so that a concurrent reader sees the whole entry or none.
      if (entry && isRefused(entry)) await rm(toCacheFilePath(location, kind), { force: true })
    }
  }
  await deadline.during('cache', `removing the refused token from ${directory}`, work).catch(() => undefined)
}

/** Reads the hand-outs of a key; empty if the file is missing or cannot be read. */
async function readHandOuts(location: EntryLocation): Promise<TokenHandOut[]> {
  const path = toCacheFilePath(location, 'served')
  const text = await readCacheFile(path).catch(() => '')
  const handOuts = parseHandOuts(text)
  // A long file is reduced to the tokens that its processes still hold. If that fails, the next reader tries again.
  if (text.length > longestNote / 2) await writeShorter(path, handOuts).catch(() => undefined)
  return handOuts
}

/** The number of hand-outs that stay in a shortened file: a third of its capacity. */
const maxKept = 400

/**
 * Rewrites the file with the hand-outs of the latest processes. Each process keeps all of its hand-outs, because a part of them would make
 * its next refresh look like a refusal. A hand-out that another run appends at the same moment is lost.
 */
async function writeShorter(path: string, handOuts: readonly TokenHandOut[]): Promise<void> {
  const file = await open(path, constants.O_WRONLY | constants.O_TRUNC | constants.O_APPEND | safeOpenFlags)
  await file.writeFile(dropReplaced(handOuts, maxKept).map(renderHandOut).join('')).finally(() => file.close())
}

/**
 * Drops the oldest hand-outs. For each process that stays, {@link listHeld} has the same result before and after.
 * @param most Once so many hand-outs are kept, no further process is added.
 */
export function dropReplaced(handOuts: readonly TokenHandOut[], most: number): TokenHandOut[] {
  const latestFirst = new Set(handOuts.map(({ process }) => process).reverse())
  let kept: TokenHandOut[] = []
  for (const process of latestFirst) {
    const held = listHeld(handOuts, process).slice(-maxKept)
    // Each refresh replaces an earlier hand-out, so one hand-out to replace is kept for each refresh.
    const replaced = held.filter(({ kind }) => kind === 'refused' || kind === 'expired')
    kept = [...replaced.map(() => ({ ...held[0]!, kind: 'given' as const })), ...held, ...kept]
    if (kept.length > most) break
  }
  return kept
}
