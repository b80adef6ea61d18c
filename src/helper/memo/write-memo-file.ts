import { open, rename, rm } from 'node:fs/promises'
import { readLinkStatus } from '../../runtime/disk.ts'
import { refuseSharedDirectory } from '../../runtime/private/owner.ts'
import { type EntryLocation, toCacheFilePath } from '../cache/directory.ts'
import { type CallMemo, renderMemo } from './call-memo.ts'

/** In milliseconds: where calls in turn have other variables, each would replace the other's memo. */
const pauseMs = 60_000

/** In characters; what a call has read is not many names. */
const longestMemo = 16_384

/**
 * Writes a memo beside its target and renames it. Without a memo the next call is slower, so that no error is reported. Two calls
 * that write at once write the same: the second finds the other's draft, and leaves it.
 */
export async function writeMemoFile(location: EntryLocation, memo: CallMemo): Promise<void> {
  const text = renderMemo(memo)
  const path = toCacheFilePath(location, 'memo')
  if (text.length > longestMemo || (await isRecent(path, memo.made))) return
  const draft = toCacheFilePath(location, 'memo-draft')
  try {
    await refuseSharedDirectory(location.directory)
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(text).finally(() => file.close())
      await rename(draft, path)
    } catch {
      await rm(draft, { force: true })
    }
  } catch {
    // as documented above
  }
}

async function isRecent(path: string, now: number): Promise<boolean> {
  const written = await readLinkStatus(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => Number.NEGATIVE_INFINITY,
  )
  return written <= now && now - written < pauseMs
}
