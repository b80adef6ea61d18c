import { ClientError } from 'openid-client'
import { clockHint, HelperError } from '../../../../runtime/failure.ts'
import { quoteForeign } from '../../../../runtime/text/quote.ts'
import { intruderHint } from '../../flow.ts'
import { describeProvider } from '../describe-provider.ts'
import { interceptionHint } from '../fetch-provider-metadata.ts'
import type { OidcSettings } from '../oidc-settings.ts'
import type { OidcAnswer } from './to-issued-tokens.ts'

/**
 * Converts an error of openid-client about an answer to a failure. The error is not kept as the cause, because it holds tokens. Any other
 * error is returned unchanged.
 */
export function toAnswerFailure(error: unknown, settings: OidcSettings, answer?: Pick<OidcAnswer, 'headers'>): unknown {
  const fault = toFault(error)
  if (!fault) return error
  const name = describeProvider(settings)
  const found = findTimes(fault, name, answer) ?? findToken(fault, settings) ?? toOtherCause(fault)
  return toCauseFailure(found, name)
}

/** Creates the failure of a sign-in at the named provider, by its cause. */
export function toCauseFailure(
  { kind = 'refused', of = 'the answer of', problem, hint }: FailureCause,
  name: string,
): HelperError {
  return new HelperError(kind, `${of} ${name} ${problem}`, hint ?? `report this to whoever runs ${name}`)
}

/** Another provider to which the person was led has answered (RFC 9207, section 2.4). */
export const otherIssuer: FailureCause = {
  of: 'the browser did not come back from',
  problem: 'but from another provider (iss)',
  hint: intruderHint,
}

interface LibraryError {
  readonly code: string | undefined
  readonly message: string
  /** The details of the fault, such as the claim and the expected value. */
  readonly detail: Readonly<Record<string, unknown>>
}

interface FailureCause {
  readonly kind?: 'refused' | 'not-configured' | 'unavailable'
  readonly of?: string
  readonly problem: string
  readonly hint?: string
}

/**
 * Finds the error with the details. It is the cause of openid-client's error, from the library below, whose errors sometimes arrive
 * unwrapped.
 */
function toFault(error: unknown): LibraryError | undefined {
  const { code } = error as { code?: unknown }
  const isCoded = typeof code === 'string' && code.startsWith('OAUTH_')
  if (!(error instanceof Error) || !(error instanceof ClientError || isCoded)) return undefined
  const inner = error instanceof ClientError && error.cause instanceof Error ? error.cause : error
  const detail = typeof inner.cause === 'object' && inner.cause !== null ? inner.cause : {}
  return { code: isCoded ? code : undefined, message: inner.message, detail: { ...detail } }
}

const idToken = 'the ID token of'

/**
 * Explains a time that is out of range. The times of an answer without a date are compared with the clock of this machine, which may be
 * wrong.
 */
function findTimes(
  { detail }: LibraryError,
  name: string,
  answer: Pick<OidcAnswer, 'headers'> | undefined,
): FailureCause | undefined {
  const { claim } = detail as FaultDetail
  if (claim !== 'exp' && claim !== 'nbf' && claim !== 'auth_time') return undefined
  if (answer?.headers.has('date'))
    return { of: idToken, problem: `is not valid at this time by the provider's own clock (${claim})` }
  return {
    of: idToken,
    problem: `is not valid at this time by the clock of this machine (${claim})`,
    hint: `${clockHint} if it is wrong; otherwise report this to whoever runs ${name}`,
  }
}

interface FaultDetail {
  readonly claim?: unknown
  readonly claims?: { readonly iss?: unknown }
  readonly expected?: unknown
  readonly header?: { readonly alg?: unknown }
  readonly alg?: unknown
}

function findToken({ code, detail, message }: LibraryError, { clientId }: OidcSettings): FailureCause | undefined {
  const { claim, claims, expected, header, alg } = detail as FaultDetail
  if (claim === 'iss')
    return {
      of: idToken,
      problem: `names the issuer ${quoteForeign(claims?.iss)}, not ${quoteForeign(expected)}`,
      hint: 'set issuer to the one whose tokens these are, or report this to whoever runs the provider',
    }
  if (claim === 'aud' || claim === 'azp')
    return { of: idToken, problem: `is not for the client ${quoteForeign(clientId)} (${claim})`, hint: intruderHint }
  if (claim === 'nonce') return { of: idToken, problem: 'belongs to another sign-in (nonce)', hint: intruderHint }
  if (code === 'OAUTH_KEY_SELECTION_FAILED')
    return { of: idToken, problem: 'is signed with a key that is not, or not clearly, among its published keys' }
  if ('signature' in detail) return { of: idToken, problem: 'has a wrong signature', hint: intruderHint }
  if (message.includes('"crit"')) return { of: idToken, problem: 'has a critical header that is not supported (crit)' }
  if (header || alg)
    return { of: idToken, problem: `is signed with ${quoteForeign(header?.alg ?? alg)}, which is not accepted here` }
  const missing = /^(?:unexpected )?JWT "(\w+)"/.exec(message)?.[1]
  if (missing) return { of: idToken, problem: `lacks a claim, or has it in a wrong form (${missing})` }
  return forms.find(([text]) => message.includes(text))?.[1]
}

/** Problems of a text that is not a signed JWT. */
const forms: readonly (readonly [text: string, found: FailureCause])[] = [
  ['Invalid JWT', { of: idToken, problem: 'is not a JWT' }],
  ['JWE decryption', { of: idToken, problem: 'is encrypted, and there is no key for it here' }],
]

function toOtherCause({ code, detail, message }: LibraryError): FailureCause {
  if (/"iss".* missing$/.test(message))
    return { of: 'the browser came back from', problem: 'without the issuer that the provider promises (iss)' }
  if (message.includes('"iss" (issuer) response')) return otherIssuer
  if (code === 'OAUTH_HTTP_REQUEST_FORBIDDEN' || code === 'OAUTH_REQUEST_PROTOCOL_FORBIDDEN')
    return { of: 'an address of', problem: 'is not an https address' }
  if (code === 'OAUTH_MISSING_SERVER_METADATA' || code === 'OAUTH_INVALID_SERVER_METADATA')
    return { of: 'the description of', problem: `has no usable ${quoteForeign(detail.attribute)}` }
  const member = /^"response" body "(\w+)" property/.exec(message)?.[1]
  if (member) return { problem: `lacks ${member}, or has it in a wrong form` }
  if (message.includes('top level object')) return { problem: 'is not a JSON object' }
  if (message.includes('`token_type`')) return { problem: 'names an unknown token_type' }
  if (/hybrid flows|JARM/.test(message))
    return { of: 'the browser came back from', problem: 'with tokens that nobody asked for', hint: intruderHint }
  if (code === 'OAUTH_INVALID_RESPONSE' || code === 'OAUTH_UNSUPPORTED_OPERATION')
    return { problem: `is not as OpenID Connect defines it: ${message}` }
  return { kind: 'unavailable', problem: 'is not the answer of an OpenID provider', hint: interceptionHint }
}
