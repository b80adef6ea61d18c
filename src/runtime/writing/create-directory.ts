import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Creates a directory for this user alone, and those above it. Not Node's recursive `mkdir`, which never returns where a
 * directory exists and refuses its children as missing, as those under `/proc` do (seen).
 * @throws the system's error; none for whatever exists at the path.
 */
export async function createDirectory(path: string): Promise<void> {
  if (await createOne(path)) return
  await createDirectory(dirname(path))
  if (!(await createOne(path))) throw Object.assign(new Error('no directory'), { code: 'ENOENT', path })
}

/** @returns whether it exists now; otherwise the directory above it may be missing. */
async function createOne(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 })
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return true
    if (code !== 'ENOENT' || dirname(path) === path) throw error
    return false
  }
}
