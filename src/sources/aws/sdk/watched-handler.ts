import { NodeHttpHandler } from '@smithy/node-http-handler'
import type { Stage } from '../../../runtime/deadline.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { createNetworkAgent } from '../../../runtime/network/connect/agent.ts'
import { createPlainAgent } from '../../../runtime/network/connect/plain-agent.ts'
import { readBody } from '../../../runtime/network/fetch/read-body.ts'
import { refusePlainHttp } from '../../../runtime/network/loopback.ts'
import type { NetworkSettings } from '../../../runtime/network/settings.ts'
import { type Exchange, readOffset } from '../../clock-offset.ts'
import { silentLogger } from './silent-logger.ts'

/** Longest wait for the beginning of an answer; the deadline of the call bounds all attempts together. */
const requestTimeout = 10_000

type Handle = NodeHttpHandler['handle']
type Answer = Awaited<ReturnType<Handle>>['response']

/**
 * The SDK's own transport over our network. It remembers how the last request went: providers that renew a sign-in
 * swallow the reason why they could not, and "the network is down" and "sign in again" need different words. The SDK
 * itself looks at AWS's clock only in answers to signed requests, which those of SSO are not.
 */
export class WatchedHandler extends NodeHttpHandler {
  /** What the request under way waits for, in words. */
  stage = 'connecting'
  /** Why the last request got no answer, or the last answer was none to build on; `undefined` when all went well. */
  trouble: unknown
  /** AWS's clock less this machine's, in milliseconds; 0 where the two agree, or nobody was asked. */
  clockOffsetMs = 0

  constructor(network: NetworkSettings) {
    const report = (stage: string) => {
      this.stage = stage
    }
    super({
      requestTimeout,
      throwOnRequestTimeout: true,
      logger: silentLogger,
      httpsAgent: createNetworkAgent(network, report),
      httpAgent: createPlainAgent(),
    })
  }

  /** Who is asked, with what is waited for: a stage for the deadline. */
  describe(asked: string): Stage {
    return () => `${asked} (${this.stage})`
  }

  override async handle(...[request, options]: Parameters<Handle>): ReturnType<Handle> {
    try {
      refusePlainHttp(request, `the setting that names ${request.hostname}: AWS_ENDPOINT_URL or endpoint_url`)
      this.stage = `waiting for ${request.hostname} to answer`
      const sentAt = Date.now()
      const { response } = await super.handle(request, options)
      const times = { sentAt, receivedAt: Date.now() }
      refuseForeignAnswer(response, request.hostname)
      this.stage = `reading the answer of ${request.hostname}`
      response.body = await readBody(response.body, request.hostname)
      this.#remember(response, times)
      return { response }
    } catch (error) {
      this.trouble = error
      throw error
    }
  }

  #remember({ statusCode, headers }: Answer, times: Exchange): void {
    const isTrouble = statusCode >= 500 || statusCode === 429
    this.trouble = isTrouble ? { name: 'ServerError', $metadata: { httpStatusCode: statusCode } } : undefined
    this.clockOffsetMs = readOffset({ date: headers.date, age: headers.age }, times)
  }
}

/** What is no answer of AWS: nobody is followed elsewhere with what was sent, and a portal's page is no refusal. */
function refuseForeignAnswer({ statusCode, headers }: Answer, hostname: string): void {
  const isRedirect = statusCode >= 300 && statusCode < 400
  const isPage = statusCode < 500 && statusCode !== 429 && headers['content-type']?.startsWith('text/html')
  if (!isRedirect && !isPage) return
  throw new HelperError(
    'unavailable',
    `${hostname} answered with ${isRedirect ? 'a redirect' : 'a web page'} (HTTP ${statusCode}), as AWS never does`,
    'find out what stands between here and AWS: a sign-in page of the network, or a proxy',
  )
}
