import { asUnreachable, type FetchSettings, openAnswer, renderAnswer } from './open-answer.ts'
import { readBody } from './read-body.ts'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/**
 * One request in the form of `fetch`, over our network: proxy, trust and bounds apply, the answer is read whole, and
 * nobody is followed elsewhere. It is sent once; whether it may be sent again is the caller's to know.
 * @throws {HelperError} `unavailable` with the system's error as its cause, or what the network itself finds wrong.
 */
export function createNetworkFetch(settings: FetchSettings): Fetch {
  return async (address, init) => {
    const url = new URL(address)
    try {
      const answer = await openAnswer(url, init, settings)
      settings.report(`reading the answer of ${url.host}`)
      const bytes = await readBody(answer, url.host)
      return renderAnswer(answer, Buffer.from(bytes))
    } catch (cause) {
      throw asUnreachable(url, cause)
    }
  }
}
