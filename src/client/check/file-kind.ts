import { open, stat } from 'node:fs/promises'
import type { FileKind } from './rules/rule.ts'

/** What a file is, by its first bytes. */
export async function readFileKind(path: string): Promise<FileKind> {
  try {
    if ((await stat(path)).isDirectory()) return 'directory'
    await using file = await open(path)
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(512), position: 0 })
    return kindOf(buffer.subarray(0, bytesRead))
  } catch {
    return 'unreadable' // not there, or only executable: starting it tells
  }
}

function kindOf(head: Buffer): FileKind {
  if (head.subarray(0, 2).toString('latin1') === '#!') return 'script'
  return head.includes(0) ? 'binary' : 'text-without-shebang'
}
