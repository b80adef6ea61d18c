import { constants } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { safeOpenFlags } from '../../runtime/disk.ts'

/** Overwrites the content of a file and removes it. A link or a pipe is only removed. */
export async function clearFile(path: string): Promise<void> {
  await writeOver(path).catch(() => undefined) // a file that cannot be written can still be removed
  await rm(path, { force: true, recursive: true })
}

async function writeOver(path: string): Promise<void> {
  const file = await open(path, constants.O_WRONLY | safeOpenFlags)
  try {
    const { size } = await file.stat()
    await file.write(Buffer.alloc(size), 0, size, 0)
    await file.datasync()
  } finally {
    await file.close()
  }
}
