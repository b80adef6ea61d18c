import { HelperError } from '../../runtime/failure.ts'
import { endByInterrupt, type Host } from '../../runtime/host.ts'
import { describeReadFailure, readNamedFile } from '../../runtime/named-file.ts'
import { readHiddenLine } from '../../runtime/read-hidden-line.ts'
import { rejectInput } from './pasted-token.ts'

/** The longest input, in bytes: a token with the largest number of headers, in any notation. */
export const longestInput = 1024 * 1024

/**
 * Reads a file, or standard input: from a terminal one line without echo.
 * @throws {HelperError} `usage` for more than {@link longestInput}, or an unreadable input.
 */
export async function readInput(host: Host, file: string | undefined): Promise<Uint8Array> {
  const bytes = await (file === undefined || file === '-' ? readStandard(host) : readFile(file))
  if (bytes.length <= longestInput) return bytes
  throw rejectLong()
}

async function readStandard({ streams }: Host): Promise<Uint8Array> {
  if (streams.input().isTTY) return readTyped(streams)
  return streams
    .stdin(longestInput, () => false)
    .catch((cause: NodeJS.ErrnoException) => {
      throw rejectUnreadable('standard input', cause)
    })
}

async function readTyped(streams: Host['streams']): Promise<Uint8Array> {
  streams.stderr('Token (what you type is not shown): ')
  const line = await readHiddenLine(streams.input(), new AbortController().signal)
  streams.stderr('\n')
  await streams.flush() // before the answer, which uses another stream
  if (line === 'interrupted') endByInterrupt()
  if (typeof line === 'string') throw rejectInput('is empty', 'run the command again, and paste the token')
  return Buffer.from(line.text)
}

async function readFile(path: string): Promise<Uint8Array> {
  return readNamedFile(path, { longestBytes: longestInput }).catch((cause: NodeJS.ErrnoException) => {
    throw cause.code === 'EFBIG' ? rejectLong() : rejectUnreadable('the file of --file', cause)
  })
}

function rejectLong(): HelperError {
  return rejectInput(`is longer than ${longestInput / 1024} KiB`, 'give a token, or the output of a helper')
}

/** The message does not repeat the file's name, because it may be a token that was pasted by mistake. */
function rejectUnreadable(what: string, cause: NodeJS.ErrnoException): HelperError {
  const isWrongPath = ['ENOENT', 'EISDIR', 'ENOTFILE'].includes(cause.code ?? '')
  const hint = isWrongPath ? 'check the path; a token itself is piped in' : 'check who may read it'
  return new HelperError('usage', `${what} ${describeReadFailure(cause)}`, hint, { cause })
}
