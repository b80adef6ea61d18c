import { createReadStream } from 'node:fs'
import { lstat, stat } from 'node:fs/promises'
import { vendor } from '../../vendor.ts'
import type { Finding } from '../finding.ts'
import { finding } from '../finding.ts'
import type { Shape } from '../shape.ts'
import { type ReadContext, type ReadResult, unreadable } from './document.ts'
import { validateManagedFile } from './linux-managed.ts'
import { readStream } from './stream.ts'

export interface FileContext extends Omit<ReadContext, 'shape'> {
  /** `managed-linux`: the file is, or is to become, the managed file of a Linux machine. */
  readonly shape?: Shape | 'managed-linux'
}

/**
 * Reads a document from a file, or from a pipe that has a name, such as a shell's `<(…)`. What cannot be read is a
 * finding too. Linux's managed file is judged itself.
 */
export async function readDocumentFile(path: string, { shape, ...context }: FileContext = {}): Promise<ReadResult> {
  try {
    const status = await stat(path)
    if (!status.isFile() && !status.isFIFO()) return unreadable([notAFile(path)])
    if (shape !== 'managed-linux' && path !== vendor.linuxManagedFile) {
      return await readStream(createReadStream(path), { ...context, ...(shape && { shape }) })
    }
    const reading = await readStream(createReadStream(path), { ...context, native: true })
    return { ...reading, findings: [...validateManagedFile(await lstat(path), path), ...reading.findings] }
  } catch (cause) {
    return unreadable([unreadableFile(path, cause)])
  }
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
