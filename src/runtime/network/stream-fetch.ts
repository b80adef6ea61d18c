// Sends one request and gives its body as a stream of any length; `network-fetch.ts` reads the body whole.

import type { IncomingMessage } from 'node:http'
import { HelperError } from '../failure.ts'
import { networkHint } from './network-failure.ts'
import type { Fetch } from './network-fetch.ts'
import { openResponse, toNetworkFailure, toResponse } from './open-response.ts'
import type { NetworkSettings } from './settings.ts'

/**
 * Creates a `fetch` over the configured network whose body is a stream of any length. Silence is measured only while a chunk is read, so
 * that a slow reader does not count as silence. Redirects are not followed.
 * @throws {HelperError} `unavailable`, or the failure that the connection itself explains; reading the body throws the same.
 */
export function createStreamFetch({ network, silenceSec = usualSilenceSec }: StreamSettings): Fetch {
  return async (address, init) => {
    const url = new URL(address)
    const aborter = new AbortController()
    let stage = `connecting to ${url.host}`
    const report = (next: string) => {
      stage = next
    }
    const limit = { host: url.host, silenceSec, stage: () => stage, end: () => aborter.abort() }
    const signal = init.signal ? AbortSignal.any([init.signal, aborter.signal]) : aborter.signal
    const settings = { network, scope: 'any-host', signal, report } as const
    try {
      const message = await waitUnlessSilent(limit, openResponse(url, init, settings))
      report(`reading the answer of ${url.host}`)
      message.on('error', () => {}) // the reader of the body gets it; without a reader it does not matter
      const response = toResponse(url, message, streamBody(url, message, limit))
      if (response.body === null) message.resume()
      return response
    } catch (cause) {
      aborter.abort()
      throw toNetworkFailure(url, cause)
    }
  }
}

/** The parameters of {@link createStreamFetch}. */
interface StreamSettings {
  readonly network: NetworkSettings
  /** In seconds: how long the other side may be silent, before its response begins and between two chunks of it (default: 10). */
  readonly silenceSec?: number
}

/** In seconds: longer than an issuer, AWS STS or a collector takes. Our decision. */
const usualSilenceSec = 10

interface SilenceLimit {
  readonly host: string
  readonly silenceSec: number
  readonly stage: () => string
  readonly end: () => void
}

/** Pulls chunk by chunk, so that nothing is received before it is read. */
function streamBody(url: URL, message: IncomingMessage, limit: SilenceLimit): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array> = message[Symbol.asyncIterator]()
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    try {
      const next = await waitUnlessSilent(limit, chunks.next())
      if (next.done) controller.close()
      else controller.enqueue(next.value)
    } catch (cause) {
      message.destroy()
      throw toNetworkFailure(url, cause)
    }
  }
  return new ReadableStream({ pull, cancel: () => void message.destroy() }, { highWaterMark: 0 })
}

/**
 * Waits for work, at most as long as the other side may be silent. @throws {HelperError} `unavailable`, without a retry, because a host
 * that was silent for so long may still be working.
 */
async function waitUnlessSilent<T>({ host, silenceSec, stage, end }: SilenceLimit, work: Promise<T>): Promise<T> {
  const { promise: silent, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const hint = `allow more time if the answer needs it; otherwise ${networkHint}`
    reject(new HelperError('unavailable', `${host} was silent for ${silenceSec} s (${stage()})`, hint))
    end()
  }, silenceSec * 1000)
  try {
    return await Promise.race([work, silent])
  } finally {
    clearTimeout(timer)
  }
}
