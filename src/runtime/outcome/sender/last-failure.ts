import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { HelperError } from '../../failure.ts'
import { parseObject } from '../../parse-object.ts'
import { readCacheFile } from '../../private/read-cache-file.ts'
import { PauseAskedError } from '../destination.ts'
import { appendToOwnFile } from '../spool.ts'

/**
 * Why a destination did not take what was sent to it last, for a person who asks. Its texts name hosts and files of this machine,
 * as those of every failure; no destination is told of it.
 */
export interface LastFailure {
  /** In milliseconds since the epoch. */
  readonly time: number
  readonly message: string
  readonly hint: string
  /** Until when the destination asked not to be sent anything, in milliseconds since the epoch. */
  readonly pausedUntil?: number
}

/** In milliseconds. A destination cannot ask for a longer pause, by mistake or in malice. Our decision. */
const longestPauseMs = 3_600_000

/** In characters. A server's certificate can hold names of any length. */
const longestText = 500

/** Reads it; `undefined` where the last sending did not fail, or nothing can be read. */
export async function readLastFailure(directory: string, destination: string): Promise<LastFailure | undefined> {
  const text = await readCacheFile(toFailurePath(directory, destination)).catch(() => '')
  const { time, message, hint, pausedUntil } = parseObject(text) ?? {}
  if (!Number.isSafeInteger(time) || typeof message !== 'string' || typeof hint !== 'string') return undefined
  const pause = Number.isSafeInteger(pausedUntil) ? { pausedUntil: pausedUntil as number } : {}
  return { time: time as number, message, hint, ...pause }
}

/** Writes it, or removes it where the destination took everything. A disk that takes nothing has the next one asked too early. */
export async function writeLastFailure(
  directory: string,
  destination: string,
  failure: LastFailure | undefined,
): Promise<void> {
  const path = toFailurePath(directory, destination)
  try {
    await rm(path, { force: true })
    if (failure) await appendToOwnFile(path, () => JSON.stringify(failure))
  } catch {
    // as documented above
  }
}

/** What is kept of a failure of this moment. */
export function toLastFailure(failure: HelperError, now: number): LastFailure {
  const pauseMs = failure instanceof PauseAskedError ? Math.min(failure.pauseMs, longestPauseMs) : 0
  return {
    time: now,
    message: failure.message.slice(0, longestText),
    hint: failure.hint.slice(0, longestText),
    ...(pauseMs > 0 && { pausedUntil: now + pauseMs }),
  }
}

/** Whether a destination still asks not to be sent anything. A time too far ahead does not count, because the clock was set back. */
export function isPaused(failure: LastFailure | undefined, now: number): boolean {
  const pauseMs = (failure?.pausedUntil ?? 0) - now
  return pauseMs > 0 && pauseMs <= longestPauseMs
}

function toFailurePath(directory: string, destination: string): string {
  return join(directory, `outcomes.failed-${destination}`)
}
