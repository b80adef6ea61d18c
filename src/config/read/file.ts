import { createReadStream } from 'node:fs'
import { lstat, stat } from 'node:fs/promises'
import { vendor } from '../../vendor.ts'
import type { Finding } from '../finding.ts'
import { createFinding } from '../finding.ts'
import type { Shape } from '../shape.ts'
import { type ReadOptions, type ReadResult, toUnreadable } from './document.ts'
import { validateManagedFile } from './linux-managed.ts'
import { readStream } from './stream.ts'

interface FileOptions extends Omit<ReadOptions, 'shape'> {
  /** `managed-linux`: the file is the managed file of a Linux machine, or will become it. */
  readonly shape?: Shape | 'managed-linux'
}

/**
 * Reads a document from a file or a named pipe, such as a shell's `<(…)`. A file that cannot be read is a finding too.
 * The owner and the mode of Linux's managed file are checked as well.
 */
export async function readDocumentFile(path: string, { shape, ...options }: FileOptions = {}): Promise<ReadResult> {
  try {
    const status = await stat(path)
    if (!status.isFile() && !status.isFIFO()) return toUnreadable([reportNoFile(path)])
    if (shape !== 'managed-linux' && path !== vendor.linuxManagedFile) {
      return await readStream(createReadStream(path), { ...options, ...(shape && { shape }) })
    }
    const result = await readStream(createReadStream(path), { ...options, native: true })
    return { ...result, findings: [...validateManagedFile(await lstat(path), path), ...result.findings] }
  } catch (cause) {
    return toUnreadable([reportUnreadableFile(path, cause)])
  }
}

function reportNoFile(path: string): Finding {
  return createFinding('file-unreadable', '', `${path} is not a file`, 'give the path of the document itself')
}

function reportUnreadableFile(path: string, cause: unknown): Finding {
  const { code } = cause as NodeJS.ErrnoException
  if (code === 'ENOENT') return createFinding('file-unreadable', '', `there is no ${path}`, 'check the path')
  return createFinding(
    'file-unreadable',
    '',
    `${path} cannot be read (${code ?? 'unknown error'})`,
    'check who owns it and its permissions',
  )
}
