import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { HelperError } from '../runtime/failure.ts'
import { readCacheFile } from '../runtime/files/private-files.ts'
import { computeSpreadMs } from '../runtime/network/retry.ts'
import { parseObject } from '../runtime/values/json-value.ts'
import { PauseAskedError } from './destination.ts'
import { appendToOwnFile } from './spool.ts'

/** Reads why the last sending to a destination failed; `undefined` if it did not fail, or if the reason cannot be read. */
export async function readLastFailure(directory: string, destination: string): Promise<LastFailure | undefined> {
  const text = await readCacheFile(toFailurePath(directory, destination)).catch(() => '')
  const { time, message, hint, pausedUntil } = parseObject(text) ?? {}
  if (!Number.isSafeInteger(time) || typeof message !== 'string' || typeof hint !== 'string') return undefined
  const pause = Number.isSafeInteger(pausedUntil) ? { pausedUntil: pausedUntil as number } : {}
  return { time: time as number, message, hint, ...pause }
}

/**
 * The reason why a destination did not take the last batch, for a person who asks. Its texts name hosts and files of this machine,
 * so it is never sent to a destination.
 */
interface LastFailure {
  /** When the sending failed, in milliseconds since the epoch. */
  readonly time: number
  readonly message: string
  readonly hint: string
  /** The end of the pause that the destination asked for, in milliseconds since the epoch. */
  readonly pausedUntil?: number
}

/**
 * Writes the reason, or removes it if the destination accepted everything. If the disk is full, the destination gets the next request too
 * early.
 */
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
    // The worst result is one request to the destination before its pause has ended.
  }
}

/**
 * Creates the record of a failure. Its pause is spread, so that machines that were refused together do not come back together.
 * @param random At least 0, below 1.
 */
export function toLastFailure(failure: HelperError, now: number, random: number): LastFailure {
  const askedMs = failure instanceof PauseAskedError ? Math.min(failure.pauseMs, longestPauseMs) : 0
  return {
    time: now,
    message: failure.message.slice(0, longestText),
    hint: failure.hint.slice(0, longestText),
    ...(askedMs > 0 && { pausedUntil: Math.ceil(now + askedMs + random * computeSpreadMs(askedMs)) }),
  }
}

/** In milliseconds: the longest pause that a destination can impose, by mistake or in malice. Our decision. */
const longestPauseMs = 3_600_000

/** In characters: the longest text. A server's certificate can hold names of any length. Our decision. */
const longestText = 500

/** Returns whether a destination's pause still lasts. An end too far in the future does not count, because the clock was set back. */
export function isPaused(failure: LastFailure | undefined, now: number): boolean {
  const pauseMs = (failure?.pausedUntil ?? 0) - now
  return pauseMs > 0 && pauseMs <= longestPauseMs + computeSpreadMs(longestPauseMs)
}

function toFailurePath(directory: string, destination: string): string {
  return join(directory, `outcomes.failed-${destination}`)
}
