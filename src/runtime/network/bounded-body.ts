import { HelperError } from '../failure.ts'

/** How much of a response is read, and for how long. */
export interface ResponseBound {
  readonly bytes: number
  /** The time for the whole body, so that a very slow body ends as well. */
  readonly sec: number
  /** The hint for a response beyond the bound, imperative. */
  readonly hint: string
}

/** A response that went beyond its bound; the message says how much of it was seen. */
export class EndlessResponseError extends HelperError {}

/**
 * Gives the body of a response chunk by chunk, and closes the connection when it goes beyond the bound.
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

/** The whole body of a response. @throws {EndlessResponseError} `unavailable`; otherwise the system's error. */
export async function readBounded(
  response: Response,
  host: string,
  bound: ResponseBound,
): Promise<Buffer<ArrayBuffer>> {
  return Buffer.concat(await Array.fromAsync(streamBounded(response, host, bound)))
}
