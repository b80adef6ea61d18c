import type { BigIntStats, Stats } from 'node:fs'
import { type Look, type LookKind, readExactStatus, readLinkStatus, readStatus, readWith } from '../../runtime/disk.ts'

/** A file that a call has looked at: its path, how it looked, and the status that it saw; an empty one where there was no file. */
export type SeenFile = readonly [path: string, kind: LookKind, status: string]

/** A file that changed this shortly before a call, in milliseconds, may have changed once more at the same time of its clock. */
const settledAfterMs = 2000

/**
 * What a call has seen of a file; `undefined` where a later look could not tell whether it changed: it is no regular file, it
 * changed when the call began or later, or its times have no part below the second.
 */
export function toSeenFile({ path, kind, found }: Look, startedAt: number): SeenFile | undefined {
  if (found instanceof Error) return found.code === 'ENOENT' ? [path, kind, ''] : undefined
  if (kind === 'status' || kind === 'link status') return [path, kind, renderOwner(found)]
  return 'ctimeNs' in found && isSettled(found, startedAt) ? [path, kind, renderContent(found)] : undefined
}

/** Whether a look like the earlier one sees the same now. It is opened as it was, so that its permissions and a file server are asked. */
export async function isUnchanged([path, kind, status]: SeenFile): Promise<boolean> {
  try {
    return (await lookAgain(path, kind)) === status
  } catch (error) {
    return status === '' && (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

async function lookAgain(path: string, kind: LookKind): Promise<string> {
  if (kind === 'status') return renderOwner(await readStatus(path))
  if (kind === 'link status') return renderOwner(await readLinkStatus(path))
  return readWith(path, kind, async (file) => renderContent(await readExactStatus(file)))
}

/** What a status is asked for: which file it is, of which kind, and who may do what with it. */
function renderOwner({ dev, ino, mode, uid }: Stats | BigIntStats): string {
  return `${dev} ${ino} ${mode} ${uid}`
}

function renderContent(status: BigIntStats): string {
  return `${renderOwner(status)} ${status.size} ${status.mtimeNs} ${status.ctimeNs}`
}

function isSettled(status: BigIntStats, startedAt: number): boolean {
  const { mtimeNs, ctimeNs } = status
  const latest = BigInt(Math.floor(startedAt - settledAfterMs)) * 1_000_000n
  return status.isFile() && mtimeNs < latest && ctimeNs < latest && ctimeNs % 1_000_000_000n !== 0n
}
