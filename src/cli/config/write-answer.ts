import { mkdir, open, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ConfigDocument } from '../../config/document.ts'
import { hasSecret } from '../../config/document-values.ts'
import { findErrorCode, HelperError, toOneLine } from '../../runtime/failure.ts'
import type { Terminal } from '../terminal.ts'
import type { ExportContent } from './export-format.ts'

/** The destination of an answer: standard output, or a file; `new` means that the file must not exist yet. */
export interface Destination {
  readonly out: string | undefined
  readonly file: 'new' | 'replaced'
  /** The readers of a file that is created; an existing file keeps its permissions. */
  readonly readers: 'owner' | 'as the system creates files'
  /** The flag that names the file; `--out` by default. */
  readonly flag?: string
}

/**
 * Writes the only answer of a subcommand.
 * @throws {HelperError} `refused` if a file cannot be written, or exists and must not; `usage` without a folder for several files.
 */
export async function writeAnswer(
  terminal: Pick<Terminal, 'printExact'>,
  content: ExportContent,
  destination: Destination,
): Promise<void> {
  const { out, flag = '--out' } = destination
  if (typeof content === 'string' || content instanceof Uint8Array) {
    return out === undefined ? terminal.printExact(content) : writeFileTo(out, content, destination)
  }
  if (out === undefined)
    throw new HelperError('usage', 'the output is several files', `name a folder for them with ${flag}`)
  const files = Object.entries(content.files).map(([path, part]) => [join(out, path), part] as const)
  for (const folder of new Set([out, ...files.map(([path]) => dirname(path))])) await createFolder(folder, flag)
  for (const [path, part] of files) await writeFileTo(path, part, destination)
}

async function writeFileTo(
  out: string,
  content: string | Uint8Array,
  { file, readers, flag = '--out' }: Destination,
): Promise<void> {
  try {
    await writeWhole(out, content, { file, readers })
  } catch (cause) {
    const code = findErrorCode(cause)
    const what = code === 'EEXIST' ? 'exists already' : `cannot be written (${code})`
    const way = code === 'EEXIST' ? ', or pass --force to replace it' : ''
    throw new HelperError('refused', `${out} ${what}`, `name another file with ${flag}${way}`, { cause })
  }
}

/** Creates a folder next to an existing path. */
async function createFolder(path: string, flag: string): Promise<void> {
  try {
    await mkdir(path)
  } catch (cause) {
    const code = findErrorCode(cause)
    if (code === 'EEXIST') return
    throw new HelperError(
      'refused',
      `the folder ${path} cannot be created (${code})`,
      `name another one with ${flag}`,
      {
        cause,
      },
    )
  }
}

/** Chooses the readers of a file from a document: only its owner, if it contains a key or a credential in a header. */
export function chooseReaders(document: ConfigDocument | undefined): Destination['readers'] {
  return document && hasSecret(document) ? 'owner' : 'as the system creates files'
}

/**
 * Writes a file, and removes a new file that a full disk has truncated: otherwise the next attempt would find it, and a reader could take
 * it for a complete file.
 */
async function writeWhole(
  out: string,
  content: string | Uint8Array,
  { file, readers }: Omit<Destination, 'out' | 'flag'>,
): Promise<void> {
  const { handle, isNew } = await openAnswer(out, file, readers === 'owner' ? 0o600 : undefined)
  try {
    await handle.writeFile(content)
  } catch (cause) {
    if (isNew) await rm(out, { force: true })
    throw cause
  } finally {
    await handle.close()
  }
}

/** Opens the file. An existing path may be a device or a link, and is never removed. */
async function openAnswer(out: string, file: Destination['file'], mode: number | undefined) {
  try {
    return { handle: await open(out, 'wx', mode), isNew: true }
  } catch (cause) {
    if (file === 'new' || findErrorCode(cause) !== 'EEXIST') throw cause
    return { handle: await open(out, 'w', mode), isNew: false }
  }
}

/**
 * Writes the page of `--html` and prints its path on stderr. It runs after the answer is printed, so that a failure affects only the page.
 * @throws {HelperError} `refused` if it cannot be written.
 */
export async function writePage(terminal: Terminal, out: string, page: string, what: string): Promise<void> {
  const readers = 'as the system creates files'
  await writeAnswer(terminal, page, { out, file: 'replaced', readers, flag: '--html' })
  terminal.tell(`${what} is in ${toOneLine(out)}\n`)
}
