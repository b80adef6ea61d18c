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

export type ClientSettings = ReturnType<typeof clientSettings>

/** The SDK warns on the console otherwise, and stderr belongs to our own messages. */
export const silentLogger = { trace() {}, debug() {}, info() {}, warn() {}, error() {} }

/**
 * The SDK's own transport, which remembers how the last request went: providers that renew a sign-in swallow the reason
 * why they could not, and "the network is down" and "sign in again" need different words. The SDK itself looks at AWS's
 * clock only in answers to signed requests, which those of SSO are not.
 */
export class WatchedHandler extends NodeHttpHandler {
  /** Why the last request got no answer, or the last answer was none to build on; `undefined` when all went well. */
  trouble: unknown
  /** AWS's clock less this machine's, in milliseconds; 0 while the two are as close as AWS asks for. */
  clockOffsetMs = 0

  constructor() {
    super({ connectionTimeout, requestTimeout })
  }

  override async handle(...request: Parameters<NodeHttpHandler['handle']>) {
    try {
      const answer = await super.handle(...request)
      const { statusCode, headers } = answer.response
      const isTrouble = statusCode >= 500 || statusCode === 429
      this.trouble = isTrouble ? { name: 'ServerError', $metadata: { httpStatusCode: statusCode } } : undefined
      // An answer that a cache kept tells the time at which it was made.
      this.clockOffsetMs = headers.age === undefined ? readOffset(headers.date) : 0
      return answer
    } catch (error) {
      this.trouble = error
      throw error
    }
  }
}

/** AWS refuses what is signed more than five minutes off; below four, the two clocks count as one. */
const toleratedMs = 240_000

function readOffset(date: string | undefined): number {
  const offsetMs = date === undefined ? 0 : Date.parse(date) - Date.now()
  return Math.abs(offsetMs) < toleratedMs || Number.isNaN(offsetMs) ? 0 : offsetMs
}
