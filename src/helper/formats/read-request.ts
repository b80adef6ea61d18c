// Folder: calls by other clients than the desktop client: their requests on stdin, and the servers that may get a token.

import type { OutputWriter } from '../../contract/output-format.ts'
import type { Suspicion } from '../../contract/refresh.ts'
import { Deadline } from '../../runtime/deadline.ts'
import { findErrorCode, HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import type { AnyHelper } from '../define-helper.ts'
import type { CommonOptions } from '../options/every-helper-options.ts'

/**
 * Reads the request that a client writes to stdin.
 * @param isWhole Whether the text is a complete request, so that the end of stdin need not be awaited.
 * @throws {HelperError} `usage` for a request that is too long or not UTF-8; `late` if none comes.
 */
export async function readRequest(asked: AskedCall, isWhole: (text: string) => boolean): Promise<string> {
  const { clock, streams } = asked.host
  const hint = `have the client of --format ${asked.options.format} write its request to stdin, and close it`
  const seconds = Math.min(clock.elapsedMs() / 1000 + longestWaitSec, asked.deadline.limit.seconds)
  const deadline = new Deadline({ seconds, hint }, clock)
  const reading = () => streams.stdin(longestBytes, (bytes) => isWhole(bytes.toString('latin1')))
  const bytes = await deadline.during('input', 'the request on stdin', reading).catch((cause: unknown) => {
    if (cause instanceof HelperError)
      throw new HelperError('late', 'no whole request has come on stdin in time', hint, { cause })
    throw new HelperError('usage', `stdin cannot be read (${findErrorCode(cause)})`, hint, { cause })
  })
  if (bytes.length > longestBytes)
    throw new HelperError('usage', `the request on stdin is longer than ${longestBytes / 1024} KiB`, hint)
  return decode(bytes, hint)
}

/** In seconds. A client writes its request without delay. Our decision. */
const longestWaitSec = 10

/** In bytes. Requests have a few hundred, and a line of Git's at most 65,535. Our decision. */
const longestBytes = 256 * 1024

function decode(bytes: Buffer, hint: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new HelperError('usage', 'the request on stdin is not UTF-8 text', hint, { cause })
  }
}

/** A run for a client that reads another format than ours. */
export interface AskedCall {
  readonly program: string
  readonly helper: AnyHelper
  readonly host: Host
  readonly options: CommonOptions
  /** The word that the client appends to the arguments, such as `get`. */
  readonly action: string | undefined
  /** The deadline of the call. */
  readonly deadline: Deadline
}

/** The work of a run for such a client. */
export type PreparedFormat =
  /** Prints a credential with the writer. The helper is the declared one, or a variant that gives another credential of the same source. */
  | {
      readonly work: 'credential'
      readonly helper: AnyHelper
      readonly writer: OutputWriter
      /** The meaning of a second run by the same client process before the printed expiry. */
      readonly suspicion?: Suspicion
    }
  /** Prints nothing, because the request concerns another server. */
  | { readonly work: 'nothing' }
  /** Removes a refused token from the cache; `undefined` removes any token. */
  | { readonly work: 'removal'; readonly refused: string | undefined }
