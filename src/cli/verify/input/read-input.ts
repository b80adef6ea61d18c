import { open } from 'node:fs/promises'
import { HelperError } from '../../../runtime/failure.ts'
import { endByInterrupt, type Host } from '../../../runtime/host.ts'
import { readHiddenLine } from '../../../runtime/input/read-hidden-line.ts'
import { rejectInput } from './found-token.ts'

/** In bytes. A token with the most headers beside it, and room for how they are written. */
export const longestInput = 1024 * 1024

/**
 * Reads a file, or standard input: from a terminal one line, which is not shown.
 * @throws {HelperError} `usage` for more than {@link longestInput}, or what cannot be read.
 */
export async function readInput(host: Host, file: string | undefined): Promise<Uint8Array> {
  const bytes = await (file === undefined || file === '-' ? readStandard(host) : readFileStart(file))
  if (bytes.length <= longestInput) return bytes
  throw rejectInput(`is longer than ${longestInput / 1024} KiB`, 'give a token, or the output of a helper')
}

async function readStandard({ streams }: Host): Promise<Uint8Array> {
  if (streams.input().isTTY) return readTyped(streams)
  return streams
    .stdin(longestInput, () => false)
    .catch((cause: NodeJS.ErrnoException) => {
      throw refuseUnreadable('standard input', cause)
    })
}

async function readTyped(streams: Host['streams']): Promise<Uint8Array> {
  streams.stderr('Token (what you type is not shown): ')
  const line = await readHiddenLine(streams.input(), new AbortController().signal)
  streams.stderr('\n')
  await streams.flush() // before the answer, which takes another way
  if (line === 'interrupted') endByInterrupt()
  if (typeof line === 'string') throw rejectInput('is empty', 'start again, and paste the token')
  return Buffer.from(line.text)
}

/** No more than is needed to see that it is too long, also of a device that never ends. */
async function readFileStart(path: string): Promise<Uint8Array> {
  try {
    await using file = await open(path)
    const pieces: Buffer[] = []
    let total = 0
    while (total <= longestInput) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(65_536))
      if (bytesRead === 0) break
      pieces.push(buffer.subarray(0, bytesRead))
      total += bytesRead
    }
    return Buffer.concat(pieces)
  } catch (cause) {
    throw refuseUnreadable('the file of --file', cause as NodeJS.ErrnoException)
  }
}

/** Without its name, which may be a token that was written in its place. */
function refuseUnreadable(what: string, cause: NodeJS.ErrnoException): HelperError {
  const isPlace = cause.code === 'ENOENT' || cause.code === 'EISDIR'
  const hint = isPlace ? 'check the path; a token itself is piped in' : 'check who may read it'
  return new HelperError('usage', `${what} cannot be read (${cause.code})`, hint, { cause })
}
