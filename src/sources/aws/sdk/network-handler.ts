import { NodeHttpHandler } from '@smithy/node-http-handler'
import type { Stage } from '../../../runtime/deadline.ts'
import { createNetworkAgent } from '../../../runtime/network/connect/agent.ts'
import { createPlainAgent } from '../../../runtime/network/connect/plain-agent.ts'
import { readAuthorities } from '../../../runtime/network/connect/trust.ts'
import { readBody } from '../../../runtime/network/fetch/read-body.ts'
import { refusePlainHttp } from '../../../runtime/network/loopback.ts'
import type { NetworkSettings } from '../../../runtime/network/settings.ts'
import { type RequestTimes, toClockOffset } from '../../clock-offset.ts'
import { refuseForeignAnswer } from './refuse-foreign-answer.ts'
import { silentLogger } from './silent-logger.ts'

/** Longest wait for the beginning of an answer, in milliseconds; the deadline of the call bounds all attempts together. */
const requestTimeout = 10_000

type Handle = NodeHttpHandler['handle']
type Answer = Awaited<ReturnType<Handle>>['response']

/**
 * The SDK's transport over our network, which remembers how the last request went. The SDK's providers that renew a sign-in
 * hide why they failed, and "the network is down" and "sign in again" need different messages. The SDK itself compares clocks
 * only on signed requests, which those to SSO are not.
 */
export class NetworkHandler extends NodeHttpHandler {
  /** What the current request waits for, in words. */
  stage = 'connecting'
  /** Why the last request got no usable answer; `undefined` when it got one. */
  lastError: unknown
  /** AWS's clock less this machine's, in milliseconds; 0 where they agree or nothing has been sent. */
  clockOffsetMs = 0

  readonly #begin: (protocol: string) => void

  constructor(network: NetworkSettings) {
    const report = (stage: string) => {
      this.stage = stage
    }
    const { promise: protocol, resolve } = Promise.withResolvers<string>()
    super(async () => {
      if ((await protocol) === 'https:') await readAuthorities(network, report)
      return {
        requestTimeout,
        throwOnRequestTimeout: true,
        logger: silentLogger,
        httpsAgent: createNetworkAgent(network, report),
        httpAgent: createPlainAgent(),
      }
    })
    this.#begin = resolve
  }

  /** The service with what its request waits for: a stage for the deadline. */
  describe(service: string): Stage {
    return () => `${service} (${this.stage})`
  }

  override async handle(...[request, options]: Parameters<Handle>): ReturnType<Handle> {
    try {
      refusePlainHttp(request, `the setting that names ${request.hostname}: AWS_ENDPOINT_URL or endpoint_url`)
      this.stage = `waiting for ${request.hostname} to answer`
      this.#begin(request.protocol)
      const sentAt = Date.now()
      const { response } = await super.handle(request, options)
      const times = { sentAt, receivedAt: Date.now() }
      const { statusCode: status, headers } = response
      refuseForeignAnswer({ status, type: headers['content-type'] }, request.hostname)
      this.stage = `reading the answer of ${request.hostname}`
      response.body = await readBody(response.body, request.hostname)
      this.#remember(response, times)
      return { response }
    } catch (error) {
      this.lastError = error
      throw error
    }
  }

  #remember({ statusCode, headers }: Answer, times: RequestTimes): void {
    const isFailing = statusCode >= 500 || statusCode === 429
    this.lastError = isFailing ? { name: 'ServerError', $metadata: { httpStatusCode: statusCode } } : undefined
    this.clockOffsetMs = toClockOffset({ date: headers.date, age: headers.age }, times)
  }
}
