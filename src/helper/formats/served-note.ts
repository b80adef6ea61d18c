import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { newForMs } from '../../contract/timing/freshness.ts'
import { safeOpenFlags } from '../../runtime/disk.ts'
import { parseObject } from '../../runtime/parse-object.ts'
import { readCacheFile } from '../../runtime/private/read-cache-file.ts'
import { type EntryLocation, toCacheFilePath } from '../cache/directory.ts'
import { type KeptToken, readKeptToken, removeKeptToken } from './kept-token.ts'

/** Which processes a cached token has been given to, by its moment of minting. */
interface ServedNote {
  readonly minted: number
  readonly processes: readonly number[]
}

/** So many are remembered; a process that is forgotten is given the same token once more. */
const mostProcesses = 256

/**
 * Takes a token out of the cache that the client's process was given before: a client that is told the end asks again before it
 * only because the server has refused the token. A token of the last seconds stays, because a new one would be refused alike.
 */
export async function removeIfServedTo(location: EntryLocation, client: number, now: number): Promise<void> {
  const entry = await readKeptToken(location)
  if (!entry || now - entry.minted <= newForMs) return
  if ((await readServedNote(location, entry)).processes.includes(client)) await removeKeptToken(location)
}

/** Remembers that the client's process has been given the token that is in the cache now. */
export async function recordServed(location: EntryLocation, client: number): Promise<void> {
  const entry = await readKeptToken(location)
  if (!entry) return
  const { minted, processes } = await readServedNote(location, entry)
  if (processes.includes(client)) return
  const note = { expiresAt: entry.expiresAt, minted, processes: [...processes, client].slice(-mostProcesses) }
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | safeOpenFlags
  const file = await open(toCacheFilePath(location, 'served'), flags, 0o600)
  await file.writeFile(JSON.stringify(note)).finally(() => file.close())
}

/** Of another token, of a file that cannot be read or is being written, nothing is known. */
async function readServedNote(location: EntryLocation, { minted }: KeptToken): Promise<ServedNote> {
  const text = await readCacheFile(toCacheFilePath(location, 'served')).catch(() => '')
  const note = parseObject(text)
  const processes = note?.minted === minted && Array.isArray(note.processes) ? note.processes : []
  return { minted, processes }
}
