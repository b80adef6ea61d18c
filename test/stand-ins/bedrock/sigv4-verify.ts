import { timingSafeEqual } from 'node:crypto'
import {
  MalformedRequest,
  parseWire,
  renderAmzDate,
  renderCanonicalRequest,
  sha256,
  signCanonicalRequest,
  type Wire,
} from './sigv4-canonical.ts'
import { parseHeaderClaim, parseQueryClaim, type SignatureClaim } from './sigv4-claim.ts'

/** An account's record of one of its access keys; temporary keys also have a session token and an end. */
export interface SigningKey {
  secretAccessKey: string
  sessionToken?: string
  expiration?: Date
}

export interface SignedRequest {
  method: string
  /** Absolute; path and query exactly as they were sent. */
  url: string
  /** The request that the service receives; `host` may be left out where the URL names it. */
  headers: Record<string, string | string[] | undefined>
  secretOf(accessKeyId: string): SigningKey | undefined
  now: Date
}

export type SignatureProblem =
  | 'malformed'
  | 'unknown-key'
  | 'wrong-session-token'
  | 'wrong-signature'
  | 'not-yet-valid'
  | 'expired'
  | 'expired-credentials'

/** `expiresAt` is the earlier of the signature's end and the key's own; `detail` holds no secret. */
export type SignatureVerdict =
  | { ok: true; accessKeyId: string; signedAt: Date; expiresAt: Date; region: string; service: string }
  | { ok: false; reason: SignatureProblem; detail: string }

/**
 * Verifies a presigned request, whose signature is in the query. `payloadHash` is that of the empty body unless given, so that
 * a URL signed with `UNSIGNED-PAYLOAD` is refused. `lifeSec` replaces `X-Amz-Expires` for a service that ignores it (STS: 900).
 */
export function verifyQuerySignature(
  request: SignedRequest & { payloadHash?: string; lifeSec?: number },
): SignatureVerdict {
  const { payloadHash = sha256(''), lifeSec } = request
  return verify(request, (wire) => {
    const claim = parseQueryClaim(wire)
    return { claim, payloadHash, lifeSec: lifeSec ?? claim.expiresSec }
  })
}

/** Verifies a request signed in its `Authorization` header: valid for 5 minutes around its date, for these body bytes only. */
export function verifyHeaderSignature(request: SignedRequest & { body: string | Uint8Array }): SignatureVerdict {
  const payloadHash = sha256(request.body)
  return verify(request, (wire) => ({ claim: parseHeaderClaim(wire), payloadHash, lifeSec: skewSec }))
}

/** How far a clock may be off, and how long a header signature is valid: from the messages of STS. */
const skewSec = 300

interface Case {
  claim: SignatureClaim
  payloadHash: string
  lifeSec: number
}

function verify(request: SignedRequest, readCase: (wire: Wire) => Case): SignatureVerdict {
  try {
    const wire = parseWire(request.method, request.url, request.headers)
    return validateCase(request, wire, readCase(wire))
  } catch (problem) {
    if (problem instanceof MalformedRequest) return refuse('malformed', problem.message)
    throw problem
  }
}

function validateCase(
  { secretOf, now }: SignedRequest,
  wire: Wire,
  { claim, payloadHash, lifeSec }: Case,
): SignatureVerdict {
  const { accessKeyId, scope, amzDate, signedAt, signedHeaders, signature } = claim
  const [, region, service] = scope
  const key = secretOf(accessKeyId)
  if (!key) return refuse('unknown-key', `there is no access key ${accessKeyId}`)
  if (key.sessionToken !== claim.sessionToken) {
    return refuse('wrong-session-token', `not the session token of ${accessKeyId}`)
  }
  const canonical = renderCanonicalRequest(wire, service, signedHeaders, payloadHash)
  const expected = signCanonicalRequest(key.secretAccessKey, scope, amzDate, canonical)
  if (!timingSafeEqual(Buffer.from(expected), Buffer.from(signature))) {
    return refuse('wrong-signature', `${accessKeyId} did not sign this request`)
  }
  const untimely = validateTime(signedAt, now, lifeSec)
  if (untimely) return untimely
  const keyEnd = key.expiration?.getTime() ?? Number.POSITIVE_INFINITY
  if (now.getTime() >= keyEnd) return refuse('expired-credentials', `the access key ${accessKeyId} has expired`)
  const expiresAt = new Date(Math.min(signedAt.getTime() + lifeSec * 1000, keyEnd))
  return { ok: true, accessKeyId, signedAt, expiresAt, region, service }
}

/** `undefined` while the signature is valid; the details are in STS's words. */
function validateTime(signedAt: Date, now: Date, lifeSec: number): SignatureVerdict | undefined {
  const shifted = (seconds: number) => renderAmzDate(new Date(now.getTime() + seconds * 1000))
  const ageSec = (now.getTime() - signedAt.getTime()) / 1000
  if (ageSec < -skewSec) {
    const limit = `${shifted(skewSec)} (${shifted(0)} + ${skewSec / 60} min.)`
    return refuse('not-yet-valid', `Signature not yet current: ${renderAmzDate(signedAt)} is still later than ${limit}`)
  }
  if (ageSec >= lifeSec) {
    const limit = `${shifted(-lifeSec)} (${shifted(0)} - ${lifeSec / 60} min.)`
    return refuse('expired', `Signature expired: ${renderAmzDate(signedAt)} is now earlier than ${limit}`)
  }
  return undefined
}

function refuse(reason: SignatureProblem, detail: string): SignatureVerdict {
  return { ok: false, reason, detail }
}
