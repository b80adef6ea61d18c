import { open, readdir, rename, rm } from 'node:fs/promises'
import { readLinkStatus } from '../../runtime/disk.ts'
import { refuseSharedDirectory } from '../../runtime/private/owner.ts'
import { type EntryLocation, parseCacheFile, toCacheFilePath } from '../cache/directory.ts'
import { type CallMemo, renderMemo } from './call-memo.ts'

/** In milliseconds: where calls in turn have other variables, each would replace the other's memo. */
const pauseMs = 60_000

/** In characters; what a call has read is not many names. */
const longestMemo = 16_384

/** A script that computes an argument, such as a date, has other arguments in each call. Our decision. */
const mostMemos = 128

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
      await removeExcess(location)
    } catch {
      await rm(draft, { force: true })
    }
  } catch {
    // as documented above
  }
}

/** Removes other memos than this one, whichever they are, where a directory has too many. */
async function removeExcess({ directory, key }: EntryLocation): Promise<void> {
  const files = (await readdir(directory)).flatMap((name) => parseCacheFile(directory, name) ?? [])
  const others = files.filter(({ kind, location }) => kind === 'memo' && location.key !== key)
  for (const { location } of others.slice(mostMemos - 1)) await rm(toCacheFilePath(location, 'memo'), { force: true })
}

async function isRecent(path: string, now: number): Promise<boolean> {
  const written = await readLinkStatus(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => Number.NEGATIVE_INFINITY,
  )
  return written <= now && now - written < pauseMs
}
