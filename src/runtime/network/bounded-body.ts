import { HelperError } from '../failure.ts'

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
