import { close, constants, fstat, open, type Stats, write } from 'node:fs'
import { join } from 'node:path'
import { safeOpenFlags, toPromise } from '../disk.ts'
import { refuseSharedDirectory, refuseSharedFile } from '../private/owner.ts'
import type { CallOutcome } from './call-outcome.ts'
import { longestOutcomeLine, renderOutcome } from './outcome-line.ts'

/** In bytes, over a thousand calls. A spool of this size takes no outcome: only that one was lost. Our decision. */
export const longestSpool = 256 * 1024

/** In bytes, what a spool holds besides of lines that say that outcomes were lost. */
const longestLosses = 64 * 1024

/** The path of the spool in a cache's directory. */
export function toSpoolPath(directory: string): string {
  return join(directory, 'outcomes.spool')
}

/** That outcomes were lost, as a line. */
export function renderLoss(lost: number): string {
  return JSON.stringify({ lost })
}

/**
 * Appends an outcome with one write, so that lines of parallel calls do not mix. Written with `node:fs`, because a call that is
 * served from the cache does not load the rest, and without a synchronous call, because a disk may not respond.
 * @throws {UnsafeCacheError} for a directory or a file that another user can have created or can change; or the system's error.
 */
export async function appendToSpool(directory: string, outcome: CallOutcome): Promise<void> {
  await refuseSharedDirectory(directory)
  const line = `${renderOutcome(outcome)}\n`
  await appendToOwnFile(toSpoolPath(directory), (size) => chooseLine(line, size))
}

/**
 * Appends to a file of this user alone, which is created where it is missing: never through a link, to a second name of another
 * file, or into a pipe.
 * @param choose Is given the file's size, and gives the text; nothing is written for an empty one.
 */
export async function appendToOwnFile(path: string, choose: (size: number) => string): Promise<void> {
  const { O_WRONLY, O_APPEND, O_CREAT } = constants
  const file = await toPromise<number>((done) => open(path, O_WRONLY | O_APPEND | O_CREAT | safeOpenFlags, 0o600, done))
  try {
    const status = await toPromise<Stats>((done) => fstat(file, done))
    refuseSharedFile(path, status)
    const text = choose(status.size)
    if (status.nlink === 1 && text !== '') await toPromise<number>((done) => write(file, text, done))
  } finally {
    await toPromise<void>((done) => close(file, (error) => done(error ?? null, undefined)))
  }
}

function chooseLine(line: string, size: number): string {
  if (size + longestOutcomeLine <= longestSpool && line.length <= longestOutcomeLine) return line
  return size < longestSpool + longestLosses ? `${renderLoss(1)}\n` : ''
}
