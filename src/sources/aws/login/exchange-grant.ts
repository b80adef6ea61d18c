import type { KeyObject } from 'node:crypto'
import type { NetworkCall } from '../../../helper/define-helper.ts'
import { fetchInTime } from '../../../runtime/network/fetch/fetch-in-time.ts'
import { toClockOffset } from '../../clock-offset.ts'
import { resolveEndpoint } from '../endpoints/resolve-endpoint.ts'
import { signDpopProof } from './dpop-proof.ts'
import { describeService, type LoginSite } from './login-site.ts'
import { type IssuedTokens, parseTokenAnswer } from './token-answer.ts'

/** What tokens are given for. Both are bound to the key that signs the proof. */
export type Grant =
  | { readonly grantType: 'refresh_token'; readonly clientId: string; readonly refreshToken: string }
  | {
      readonly grantType: 'authorization_code'
      readonly clientId: string
      readonly code: string
      readonly codeVerifier: string
      readonly redirectUri: string
    }

/** What a request to the sign-in service needs. */
export interface LoginParts {
  readonly site: LoginSite
  readonly call: Pick<NetworkCall, 'deadline' | 'network'>
  /** A sign-in has its own, because its deadline is that of a person. */
  readonly fetch?: typeof fetchInTime
}

/**
 * Redeems a code or a refresh token. A refresh that is repeated within its life is answered alike (the service's published
 * model), so that one whose answer was lost may be repeated; a code is valid once.
 * @throws {HelperError} See {@link parseTokenAnswer}.
 */
export async function exchangeGrant(
  grant: Grant,
  key: KeyObject,
  { site, call, fetch = fetchInTime }: LoginParts,
): Promise<IssuedTokens> {
  const { url: base } = resolveEndpoint({ service: 'signin', region: site.region }, site.endpoints)
  const url = new URL(`${base.pathname.replace(/\/$/, '')}/v1/token`, base).href
  let sentAt = 0
  const response = await fetch(
    call,
    { name: describeService(site), url, isIdempotent: grant.grantType === 'refresh_token' },
    () => {
      sentAt = Date.now()
      const proof = signDpopProof(key, { url, now: sentAt })
      return {
        method: 'POST',
        headers: { 'content-type': 'application/json', DPoP: proof },
        body: JSON.stringify(grant),
      }
    },
  )
  const { status, headers } = response
  const dates = { date: headers.get('date'), age: headers.get('age') }
  const clockOffsetMs = toClockOffset(dates, { sentAt, receivedAt: Date.now() })
  const text = await response.text()
  return parseTokenAnswer({ status, contentType: headers.get('content-type'), text, clockOffsetMs }, site)
}
