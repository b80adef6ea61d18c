import { read } from 'node:fs'
import { servedDocumentRules } from '../contract/served-document.ts'
import { describeWaiting, longestFileBytes, readOpenStatus, readWith, unwaitingFlags } from './disk.ts'
import { renderErrorCode } from './failure.ts'

/**
 * Reads a file or a named pipe, such as a shell's `<(…)`, to its end.
 * @throws The system's error; with code `EISDIR` or `ENOTFILE` for anything else, `EFBIG` for a longer file, `ETIMEDOUT` if it is not
 * read in time.
 */
export async function readNamedFile(
  path: string,
  { longestBytes = longestFileBytes, limitSec = servedDocumentRules.answerSec }: NamedFileLimits = {},
): Promise<Buffer> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const limit = new AbortController()
  const timer = setTimeout(() => {
    limit.abort()
    reject(toError('ETIMEDOUT', { limitSec }))
  }, limitSec * 1000)
  try {
    return await Promise.race([
      late,
      readWith(path, unwaitingFlags, (file) => readOpen(file, longestBytes, limit.signal)),
    ])
  } finally {
    clearTimeout(timer)
  }
}

/** The limits for reading a file that a person names on a command line. */
interface NamedFileLimits {
  /** A longer file is refused after this many bytes. */
  readonly longestBytes?: number
  /**
   * How long the whole reading may take: a pipe may have no writer, and a file server may not respond. By default as long as a server has
   * for a document (our decision).
   */
  readonly limitSec?: number | undefined
}

/** Describes why {@link readNamedFile} failed, as the words after the path. Its error has the limit that was exceeded. */
export function describeReadFailure(failure: NodeJS.ErrnoException & NamedFileLimits): string {
  const { code, longestBytes, limitSec } = failure
  if (code === 'EISDIR') return 'is a directory'
  if (code === 'ENOTFILE') return 'is not a file'
  if (longestBytes !== undefined) return `is longer than ${renderSize(longestBytes)}`
  return limitSec === undefined ? `cannot be read (${renderErrorCode(failure)})` : `was not read within ${limitSec} s`
}

function renderSize(bytes: number): string {
  const kibibytes = bytes / 1024
  return kibibytes < 1024 ? `${kibibytes} KiB` : `${kibibytes / 1024} MiB`
}

/** Returns whether a thread still waits for a file, so that this process does not end by itself. */
export function isReadAbandoned(): boolean {
  return describeWaiting() !== ''
}

async function readOpen(file: number, longestBytes: number, signal: AbortSignal): Promise<Buffer> {
  const status = await readOpenStatus(file)
  if (status.isDirectory()) throw toError('EISDIR')
  if (!status.isFile() && !status.isFIFO()) throw toError('ENOTFILE')
  const pieces: Buffer[] = []
  let total = 0
  while (!signal.aborted) {
    const piece = await readPiece(file)
    const isOver = piece?.length === 0 && (total > 0 || status.isFile())
    if (isOver) return Buffer.concat(pieces)
    // The pipe has no data yet, or no writer.
    if (piece === undefined || piece.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
    else pieces.push(piece)
    total += piece?.length ?? 0
    if (total > longestBytes) throw toError('EFBIG', { longestBytes })
  }
  throw toError('ETIMEDOUT') // the race has already ended
}

/** Reads the next piece; empty at the end, `undefined` if the pipe has no data yet. */
function readPiece(file: number): Promise<Buffer | undefined> {
  const chunk = Buffer.alloc(65_536)
  return new Promise((resolve, reject) => {
    read(file, chunk, 0, chunk.length, null, (error, length) => {
      if (error?.code === 'EAGAIN') resolve(undefined)
      else if (error) reject(error)
      else resolve(chunk.subarray(0, length))
    })
  })
}

function toError(code: string, exceeded: NamedFileLimits = {}): NodeJS.ErrnoException & NamedFileLimits {
  return Object.assign(new Error(code), { code, ...exceeded })
}
