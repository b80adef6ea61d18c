import { lstat, readFile, stat } from 'node:fs/promises'
import { vendor } from '../vendor.ts'
import { tooLarge } from './container.ts'
import type { Finding } from './document.ts'
import { finding } from './finding.ts'
import { maxBytes } from './limits.ts'
import { judgeManagedFile } from './linux-managed.ts'
import { type ReadContext, type Reading, readDocument, unreadable } from './read-document.ts'
import type { Shape } from './shape.ts'

export interface FileContext extends Omit<ReadContext, 'shape'> {
  /** `managed-linux`: the file is, or is to become, the managed file of a Linux machine. */
  readonly shape?: Shape | 'managed-linux'
}

/** Reads a document from a file. A file that cannot be read is a finding too. Linux's managed file is judged itself. */
export async function readDocumentFile(path: string, { shape, ...context }: FileContext = {}): Promise<Reading> {
  try {
    const { size, type } = await measure(path)
    if (type !== 'file') return unreadable([notAFile(path)])
    if (size > maxBytes) return unreadable([tooLarge()])
    if (shape !== 'managed-linux' && path !== vendor.linuxManagedFile) {
      return readDocument(await readFile(path), { ...context, ...(shape && { shape }) })
    }
    const reading = readDocument(await readFile(path), { ...context, native: true })
    return { ...reading, findings: [...judgeManagedFile(await lstat(path), path), ...reading.findings] }
  } catch (cause) {
    return unreadable([unreadableFile(path, cause)])
  }
}

/** Only a regular file is opened: a named pipe would wait for ever. */
async function measure(path: string): Promise<{ size: number; type: 'file' | 'other' }> {
  const stats = await stat(path)
  return { size: stats.size, type: stats.isFile() ? 'file' : 'other' }
}

function notAFile(path: string): Finding {
  return finding('file-unreadable', '', `${path} is not a file`, 'name the document itself')
}

function unreadableFile(path: string, cause: unknown): Finding {
  const { code } = cause as NodeJS.ErrnoException
  if (code === 'ENOENT') return finding('file-unreadable', '', `there is no ${path}`, 'check the path')
  return finding(
    'file-unreadable',
    '',
    `${path} cannot be read (${code ?? 'unknown error'})`,
    'check who owns it and its permissions',
  )
}
