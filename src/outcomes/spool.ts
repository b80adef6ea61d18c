import { close, constants, fstat, open, type Stats, write } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readLinkStatus, safeOpenFlags, waitForCallback } from '../runtime/disk.ts'
import { isWithoutRoom } from '../runtime/failure.ts'
import { refuseSharedDirectory, refuseSharedFile } from '../runtime/files/private-files.ts'
import { observeProcessId } from '../runtime/host.ts'
import { type CallOutcome, longestOutcomeLine, renderOutcome } from './call-outcome.ts'

/** Removes every file of outcomes from a cache's directory; outcomes that were not sent are lost. */
export async function removeOutcomeFiles(directory: string): Promise<void> {
  for (const path of await listOutcomeFiles(directory)) await rm(path, { force: true, recursive: true })
}

/** Removes files of outcomes that did not change for 30 days, because outcomes were switched off or no sender finished. */
export async function sweepOutcomeFiles(directory: string, now: number): Promise<void> {
  for (const path of (await listOutcomeFiles(directory)).slice(0, maxFiles))
    if (await isForgotten(path, now)) await rm(path, { force: true, recursive: true })
}

/** The most files that one run examines. */
const maxFiles = 64

/** Lists the files of outcomes: the spool, claimed and stored lines, reasons, counts of lost outcomes, and the turn to send. */
async function listOutcomeFiles(directory: string): Promise<string[]> {
  const names = (await readdir(directory)).filter((name) =>
    /^outcomes\.(spool$|(claimed|kept|failed|turn|lost)-)/.test(name),
  )
  return names.map((name) => join(directory, name))
}

/** Returns whether a file is old enough to be removed. A missing file has been sent. */
async function isForgotten(path: string, now: number): Promise<boolean> {
  const status = await readLinkStatus(path).catch(() => undefined)
  return status !== undefined && status.mtimeMs + longestKeptMs <= now
}

/** In milliseconds. If outcomes are sent at all, a sender takes a file long before this age. Our decision. */
const longestKeptMs = 30 * 24 * 3_600_000

/** In bytes, for over a thousand calls. A full spool takes no new outcome, and the new one is lost. Our decision. */
export const longestSpool = 256 * 1024

/** Returns the path of the spool in a cache's directory. */
export function toSpoolPath(directory: string): string {
  return join(directory, 'outcomes.spool')
}

/**
 * Appends an outcome with one write, so that lines of parallel calls do not mix. It uses `node:fs`, because a call that is served
 * from the cache loads nothing else, and makes no synchronous call, because a disk may not respond. If the spool or the disk is
 * full, the outcome is counted as lost.
 * @throws {UnsafeCacheError} for a directory or a file that another user can have created or can change; or the system's error.
 */
export async function appendToSpool(directory: string, outcome: CallOutcome): Promise<void> {
  await refuseSharedDirectory(directory)
  const line = `${renderOutcome(outcome)}\n`
  const isWritten = await attemptAppend(toSpoolPath(directory), line)
  if (isWritten) return
  const { recordLost } = await import('./lost-count.ts')
  await recordLost(directory, 1, { process: observeProcessId(), now: outcome.time })
}

/** Appends a line. @returns whether there was room for it. */
async function attemptAppend(path: string, line: string): Promise<boolean> {
  let hasRoom = line.length <= longestOutcomeLine
  try {
    await appendToOwnFile(path, (size) => {
      hasRoom &&= size + longestOutcomeLine <= longestSpool
      return hasRoom ? line : ''
    })
    return hasRoom
  } catch (error) {
    if (isWithoutRoom(error)) return false
    throw error
  }
}

/**
 * Appends to a file of this user alone, which is created if it is missing: never through a link, to a second name of another file, or
 * into a pipe.
 * @param choose Takes the file's size, and returns the text to append; nothing is written for an empty text.
 * @returns how many bytes of the text the disk had room for.
 */
export async function appendToOwnFile(
  path: string,
  choose: (size: number) => string | Promise<string>,
): Promise<number> {
  const { O_WRONLY, O_APPEND, O_CREAT } = constants
  const file = await waitForCallback<number>((done) =>
    open(path, O_WRONLY | O_APPEND | O_CREAT | safeOpenFlags, 0o600, done),
  )
  try {
    const status = await waitForCallback<Stats>((done) => fstat(file, done))
    refuseSharedFile(path, status)
    const text = await choose(status.size)
    return status.nlink === 1 && text !== '' ? await waitForCallback<number>((done) => write(file, text, done)) : 0
  } finally {
    await waitForCallback<void>((done) => close(file, (error) => done(error ?? null, undefined)))
  }
}
