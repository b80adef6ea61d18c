import { Deadline } from '../../runtime/deadline.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { AskedCall } from './asked-call.ts'

/** In bytes; requests have a few hundred, and Git's longest line 65,535. Our decision. */
const longestBytes = 256 * 1024

/** In seconds: a client has its request at hand. Our decision. */
const longestWaitSec = 10

/**
 * Reads the request that a client writes to stdin.
 * @param isWhole Whether a text is a whole request, so that the end of stdin need not be waited for.
 * @throws {HelperError} `usage` for a request that is too long or no text; `late` for one that does not come.
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
    throw new HelperError('usage', `stdin cannot be read (${(cause as NodeJS.ErrnoException).code})`, hint, { cause })
  })
  if (bytes.length > longestBytes)
    throw new HelperError('usage', `the request on stdin is longer than ${longestBytes / 1024} KiB`, hint)
  return decode(bytes, hint)
}

function decode(bytes: Buffer, hint: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new HelperError('usage', 'the request on stdin is not UTF-8 text', hint, { cause })
  }
}
