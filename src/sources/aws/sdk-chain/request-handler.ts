import { Readable } from 'node:stream'
import type { HttpRequest, HttpResponse } from '@smithy/types'
import { HelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import { longestAttemptMs } from '../../../runtime/network/attempt-in-time.ts'
import { createNetworkFetch } from '../../../runtime/network/network-fetch.ts'
import type { NetworkSettings } from '../../../runtime/network/settings.ts'
import { toClockOffset } from '../../clock-offset.ts'

/** Sends the requests of an AWS SDK client over our network, and remembers facts that the SDK's own errors do not state. */
export class RequestHandler {
  /** The failure of the latest request, if it got no answer. */
  failure: HelperError | undefined
  /** See `toClockOffset`, by the latest answer. */
  clockOffsetMs: number | undefined
  readonly #network: NetworkSettings
  readonly #clock: Pick<Host['clock'], 'now'>

  constructor(network: NetworkSettings, clock: Pick<Host['clock'], 'now'>) {
    this.#network = network
    this.#clock = clock
  }

  async handle(request: HttpRequest): Promise<{ response: HttpResponse }> {
    const { method, headers, body } = request
    const sentAt = this.#clock.now()
    try {
      const answer = await this.#fetch(toUrl(request), { method, headers, body: toText(body) })
      this.clockOffsetMs = toClockOffset(answer.headers, { sentAt, receivedAt: this.#clock.now() })
      this.failure = undefined
      const bytes = Buffer.from(await answer.arrayBuffer())
      return {
        response: {
          statusCode: answer.status,
          headers: Object.fromEntries(answer.headers),
          body: Readable.from(bytes.length === 0 ? [] : [bytes]),
        },
      }
    } catch (error) {
      if (error instanceof HelperError) this.failure = error
      throw error
    }
  }

  /** Members that the SDK expects of every handler. */
  updateHttpClientConfig(): void {}
  httpHandlerConfigs(): object {
    return {}
  }

  #fetch(url: string, init: RequestInit): Promise<Response> {
    const signal = AbortSignal.timeout(longestAttemptMs)
    return createNetworkFetch({ network: this.#network, scope: 'any-host', signal, report: () => {} })(url, init)
  }
}

function toUrl({ protocol, hostname, port, path, query = {} }: HttpRequest): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((each) => `${encode(name)}=${encode(each ?? '')}`),
  )
  const search = pairs.length === 0 ? '' : `?${pairs.join('&')}`
  return `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}${search}`
}

/** Encodes by RFC 3986, as the SDK does when it signs a query. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** Converts a body to text, because the services of a chain take JSON or forms, which the SDK passes as a text or as bytes. */
function toText(body: unknown): string | null {
  if (body instanceof Uint8Array) return Buffer.from(body).toString()
  return typeof body === 'string' ? body : null
}
