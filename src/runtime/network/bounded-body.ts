import { HelperError } from '../failure.ts'
import { toForeignHint } from './network-failure.ts'

/** The bounds of reading a response. */
export interface ResponseBound {
  readonly bytes: number
  /** In seconds: the time for the whole body, so that a very slow body ends as well. */
  readonly sec: number
  /** The hint for a response beyond the bound, imperative. */
  readonly hint: string
}

/** The failure of a response beyond its bound. The message has the size that was read. */
export class EndlessResponseError extends HelperError {}

/**
 * Yields the body of a response in chunks, and closes the connection when it goes beyond the bound.
 * @param host For messages.
 * @throws {EndlessResponseError} `unavailable`; otherwise the system's error.
 */
export async function* streamBounded(
  { body, status, headers }: Response,
  host: string,
  { bytes, sec, hint }: ResponseBound,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (!body) return
  const reader = body.getReader()
  const { promise: late, reject } = Promise.withResolvers<never>()
  late.catch(() => {}) // also if nobody reads further
  const type = headers.get('content-type') ?? 'no content-type'
  let seen = 0
  const fail = (what: string) =>
    new EndlessResponseError('unavailable', `${host} answered HTTP ${status} (${type}) ${what}`, hint)
  const timer = setTimeout(() => reject(fail(`and had not finished after ${sec} s: ${seen} bytes so far`)), sec * 1000)
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late])
      if (done) return
      seen += value.length
      if (seen > bytes) throw fail(`with more than ${bytes / 1024} KiB`)
      yield value
    }
  } finally {
    clearTimeout(timer)
    reader.cancel().catch(() => {}) // not awaited: the connection may be broken already
  }
}

/** Reads the whole body of a response. @throws as {@link streamBounded} does. */
export async function readBounded(
  response: Response,
  host: string,
  bound: ResponseBound,
): Promise<Buffer<ArrayBuffer>> {
  return Buffer.concat(await Array.fromAsync(streamBounded(response, host, bound)))
}

/**
 * Reads the whole body of a response, so that a body that breaks off is a network failure and not a short answer.
 * @param host For messages.
 * @throws {HelperError} `unavailable` for a body beyond the bound; otherwise the system's error.
 */
export async function readBody(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  host: string,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > longestBodyBytes)
      throw new HelperError(
        'unavailable',
        `${host} answered with more than ${longestBodyBytes / 1024} KiB`,
        toForeignHint(host),
      )
  }
  return Buffer.concat(chunks)
}

/** In bytes: the longest body, far longer than every answer that a helper requests. Our decision. */
const longestBodyBytes = 1024 * 1024
