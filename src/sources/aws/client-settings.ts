import { NodeHttpHandler } from '@smithy/node-http-handler'

/** Waits inside one attempt; the deadline of the call bounds all attempts together. */
const connectionTimeout = 5_000
const requestTimeout = 10_000

/** Settings of every AWS client of ours; a profile's own `endpoint_url` is honoured by naming the profile. */
export function clientSettings({ profile, region }: { profile?: string | undefined; region: string }) {
  return {
    region,
    ...(profile !== undefined && { profile }),
    maxAttempts: 3,
    requestHandler: new WatchedHandler(),
    logger: silentLogger,
  }
}

/** The SDK warns on the console otherwise, and stderr belongs to our own messages. */
export const silentLogger = { trace() {}, debug() {}, info() {}, warn() {}, error() {} }

/**
 * The SDK's own transport, which remembers how the last request went: providers that renew a sign-in swallow the reason
 * why they could not, and "the network is down" and "sign in again" need different words.
 */
export class WatchedHandler extends NodeHttpHandler {
  /** Why the last request got no answer, or the last answer was none to build on; `undefined` when all went well. */
  trouble: unknown

  constructor() {
    super({ connectionTimeout, requestTimeout })
  }

  override async handle(...request: Parameters<NodeHttpHandler['handle']>) {
    try {
      const answer = await super.handle(...request)
      const { statusCode } = answer.response
      this.trouble = statusCode >= 500 ? { name: 'ServerError', $metadata: { httpStatusCode: statusCode } } : undefined
      return answer
    } catch (error) {
      this.trouble = error
      throw error
    }
  }
}
