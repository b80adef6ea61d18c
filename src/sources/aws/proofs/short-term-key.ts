import { HttpRequest } from '@smithy/core/protocols'
import { keyServices } from '../../../contract/aws-keys.ts'
import type { MintedToken } from '../../../helper/define-helper.ts'
import { Secret } from '../../../runtime/secret.ts'
import type { AwsCredentials } from '../credentials/aws-credentials.ts'
import { toAwsFacts } from '../credentials/credentials.ts'
import type { AwsPlan } from '../credentials/plan.ts'
import { toKeyHost } from '../endpoints/hosts.ts'
import { computeSecondsLeft, computeSigningDate, createSigner, renderQuery } from './create-signer.ts'
import { longestKeyLifeSec } from './key-options.ts'

/** What is asked of a new key. */
interface KeyRequest {
  /** The name of one of {@link keyServices}. */
  readonly service: string
  readonly lifetimeSec: number
  readonly now: number
}

/**
 * Makes a short-term key for a service: a `CallWithBearerToken` request with its signature in the query, which is not sent. It
 * lives for `lifetimeSec`, but no longer than the credentials do, and `expiresAt` is the end that the signature states.
 */
export async function signShortTermKey(
  credentials: AwsCredentials,
  plan: AwsPlan,
  { service, lifetimeSec, now }: KeyRequest,
): Promise<MintedToken> {
  const signingDate = computeSigningDate(credentials, now)
  const longestSec = Math.min(computeSecondsLeft(credentials, signingDate), longestKeyLifeSec)
  const expiresIn = Math.min(lifetimeSec, longestSec)
  const { region } = plan
  const request = createRequest(toKeyHost(service, region))
  const signed = await createSigner(credentials, { service, region }).presign(request, { signingDate, expiresIn })
  return {
    token: new Secret(renderKey(service, `${request.hostname}${request.path}?${renderQuery(signed)}`)),
    // By this machine's clock, because the cache compares it with that.
    expiresAt: new Date(now + expiresIn * 1000),
    clockOffsetMs: credentials.clockOffsetMs,
    shortenedBy: lifetimeSec < longestSec ? 'lifetime' : undefined,
    facts: toAwsFacts(credentials, plan),
  }
}

function createRequest(hostname: string): HttpRequest {
  return new HttpRequest({
    method: 'POST',
    protocol: 'https:',
    hostname,
    path: '/',
    query: { Action: 'CallWithBearerToken' },
    headers: { host: hostname },
  })
}

/** The form that the services read: a prefix, then in base64 the URL without its scheme but with a version. */
function renderKey(service: string, signed: string): string {
  const { prefix } = keyServices.find(({ name }) => name === service)! // one of the option's choices
  return `${prefix}${Buffer.from(`${signed}&Version=1`).toString('base64')}`
}
