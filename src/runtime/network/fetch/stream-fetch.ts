import type { IncomingMessage } from 'node:http'
import { HelperError } from '../../failure.ts'
import type { NetworkSettings } from '../settings.ts'
import type { Fetch } from './network-fetch.ts'
import { asUnreachable, openAnswer, renderAnswer } from './open-answer.ts'

export interface StreamSettings {
  readonly network: NetworkSettings
  /** How long the other side may be silent: before its answer begins, and between two pieces of it. */
  readonly silenceSec: number
}

/**
 * One request in the form of `fetch`, over our network, whose body is handed on as it comes: of any length, for as long
 * as it keeps coming. A reader that takes its time is not counted as silence. Nobody is followed elsewhere.
 * @throws {HelperError} `unavailable`, or what the network itself finds wrong; from reading the body too.
 */
export function createStreamFetch({ network, silenceSec }: StreamSettings): Fetch {
  return async (address, init) => {
    const url = new URL(address)
    const aborter = new AbortController()
    let stage = `connecting to ${url.host}`
    const report = (next: string) => {
      stage = next
    }
    const patience = { who: url.host, silenceSec, stage: () => stage, giveUp: () => aborter.abort() }
    const signal = init.signal ? AbortSignal.any([init.signal, aborter.signal]) : aborter.signal
    const settings = { network, scope: 'any-host', signal, report } as const
    try {
      const answer = await beforeSilence(patience, openAnswer(url, init, settings))
      report(`reading the answer of ${url.host}`)
      answer.on('error', () => {}) // whoever reads is told; an answer that is let go concerns nobody
      const response = renderAnswer(answer, handOn(url, answer, patience))
      if (response.body === null) answer.resume()
      return response
    } catch (cause) {
      aborter.abort()
      throw asUnreachable(url, cause)
    }
  }
}

interface Patience {
  readonly who: string
  readonly silenceSec: number
  readonly stage: () => string
  readonly giveUp: () => void
}

/** Pulled piece by piece, so that nothing is fetched that nobody reads. */
function handOn(url: URL, answer: IncomingMessage, patience: Patience): ReadableStream<Uint8Array> {
  const pieces: AsyncIterator<Uint8Array> = answer[Symbol.asyncIterator]()
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    try {
      const next = await beforeSilence(patience, pieces.next())
      if (next.done) controller.close()
      else controller.enqueue(next.value)
    } catch (cause) {
      answer.destroy()
      throw asUnreachable(url, cause)
    }
  }
  return new ReadableStream({ pull, cancel: () => void answer.destroy() }, { highWaterMark: 0 })
}

/** @throws {HelperError} `unavailable` that no retry takes for brief: who was silent for so long may be at work. */
async function beforeSilence<T>({ who, silenceSec, stage, giveUp }: Patience, work: Promise<T>): Promise<T> {
  const { promise: silent, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const hint = 'allow more time if the answer needs it; otherwise check the network, the VPN and the proxy'
    reject(new HelperError('unavailable', `${who} was silent for ${silenceSec} s (${stage()})`, hint))
    giveUp()
  }, silenceSec * 1000)
  try {
    return await Promise.race([work, silent])
  } finally {
    clearTimeout(timer)
  }
}
