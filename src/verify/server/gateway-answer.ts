import { createErrorBody, errorTypes } from '../../contract/http-api.ts'
import { type ReasonFacts, refusalDetailHeader, refusalHeader, refusalReasons } from '../../contract/refusal-reasons.ts'
import { signatureAlgorithmNames } from '../../contract/signature-algorithms.ts'
import { type ProtectedResource, renderResourceChallenge } from '../policy/protected-resource.ts'
import type { Acceptance, TokenRefusal, Verdict } from '../verdict.ts'

/** An answer to a gateway over HTTP. Its headers name the caller, or the reason of a refusal. */
export interface Answer {
  readonly status: number
  /** Names and values in turn: Node writes such a list without processing each header. */
  readonly headers: string[]
  readonly body: string
}

/**
 * Returns the answer to a verdict; pure.
 * @param requestId The id of a refusal in the log.
 */
export function toAnswer(verdict: Verdict, requestId: string, resource?: ProtectedResource): Answer {
  return verdict.outcome === 'accepted'
    ? toAcceptedAnswer(verdict)
    : toRefusedAnswer(verdict.refusal, requestId, resource)
}

/** Status 200, with every header that names the caller; pure. */
export function toAcceptedAnswer({ headers }: Pick<Acceptance, 'headers'>): Answer {
  return { status: 200, headers: [...Object.entries(headers).flat(), ...fixedHeaders, 'content-length', '0'], body: '' }
}

/**
 * Returns the status of the reason, the reason in a header because many gateways drop the body, and the error envelope; pure.
 * @param resource The resource to which the challenge leads OAuth clients.
 */
export function toRefusedAnswer(refusal: TokenRefusal, requestId: string, resource?: ProtectedResource): Answer {
  const { reason, detail, retryAfterSec } = refusal
  const { status, summary } = refusalReasons[reason]
  const text = detail === undefined ? undefined : toHeaderText(detail)
  const body = JSON.stringify(createErrorBody(errorTypes[status], summary, requestId, { reason, detail }))
  const headers = [
    ...renderChallenge(refusal, text === undefined ? summary : `${summary}: ${text}`, resource),
    ...[refusalHeader, reason],
    ...(text === undefined ? [] : [refusalDetailHeader, text]),
    ...(retryAfterSec === undefined ? [] : ['retry-after', String(retryAfterSec)]),
    ...fixedHeaders,
    ...['content-type', 'application/json', 'content-length', String(Buffer.byteLength(body))],
  ]
  return { status, headers, body }
}

/** A gateway must not cache a verdict, because it does not know when the token expires. */
const fixedHeaders = ['cache-control', 'no-store']

/** Renders a text as one line of visible ASCII, because it may contain claims. */
function toHeaderText(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]+/g, '?').slice(0, longestDetail)
}

const longestDetail = 500

/**
 * Renders the challenge of a refusal. A request without a token gets no error code (RFC 6750, section 3). Empty if another token would not
 * help.
 */
function renderChallenge(refusal: TokenRefusal, description: string, resource?: ProtectedResource): string[] {
  const { reason, requiredScopes } = refusal
  const { status, challenge }: ReasonFacts = refusalReasons[reason]
  if ((status !== 401 && status !== 403) || reason === 'no-tenant') return [] // without a policy no token helps
  const error = findChallengeError(refusal, resource)
  const words = `${error === undefined ? '' : `, error="${error}"`}, error_description="${description.replaceAll(/["\\]/g, "'")}"`
  const more = resource
    ? renderResourceChallenge(resource, requiredScopes ?? (status === 401 ? resource.scopes : []))
    : ''
  if (challenge)
    return ['www-authenticate', `${challenge.scheme} realm="gatepass"${words}, algs="${proofAlgorithms}"${more}`]
  return ['www-authenticate', `Bearer realm="gatepass"${reason === 'no-token' ? '' : words}${more}`]
}

/**
 * Finds the error code of RFC 6750, section 3.1; `undefined` for other refusals. A client that knows the resource requests another token
 * after `insufficient_scope`, so that code is used only if nothing but the scope is missing.
 */
function findChallengeError(
  { reason, requiredScopes }: TokenRefusal,
  resource?: ProtectedResource,
): string | undefined {
  const { status, challenge }: ReasonFacts = refusalReasons[reason]
  if (status === 401) return challenge?.error ?? 'invalid_token'
  return resource && !requiredScopes ? undefined : 'insufficient_scope'
}

/** The parameter `algs` of a DPoP challenge (RFC 9449, section 7.1). */
const proofAlgorithms = signatureAlgorithmNames.join(' ')
