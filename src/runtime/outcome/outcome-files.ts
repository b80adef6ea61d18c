import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readLinkStatus } from '../disk.ts'

/** In milliseconds: where outcomes are told, a sender takes what is there long before. Our decision. */
const longestKeptMs = 30 * 24 * 3_600_000

/** How many files one run examines at most. */
const mostFiles = 64

/** Removes every file of outcomes from a cache's directory: what no destination has been told is lost. */
export async function removeOutcomeFiles(directory: string): Promise<void> {
  for (const path of await listOutcomeFiles(directory)) await rm(path, { force: true, recursive: true })
}

/** Removes files of outcomes that nothing was added to for 30 days, as where outcomes were switched off, or no sender ended. */
export async function sweepOutcomeFiles(directory: string, now: number): Promise<void> {
  for (const path of (await listOutcomeFiles(directory)).slice(0, mostFiles))
    if (await isForgotten(path, now)) await rm(path, { force: true, recursive: true })
}

/** The spool, what one sender has claimed, what a destination did not take and why, and who had the turn to send. */
async function listOutcomeFiles(directory: string): Promise<string[]> {
  const own = (await readdir(directory)).filter((name) => /^outcomes\.(spool$|(claimed|kept|failed|turn)-)/.test(name))
  return own.map((name) => join(directory, name))
}

/** One that has vanished was sent. */
async function isForgotten(path: string, now: number): Promise<boolean> {
  const status = await readLinkStatus(path).catch(() => undefined)
  return status !== undefined && status.mtimeMs + longestKeptMs <= now
}
