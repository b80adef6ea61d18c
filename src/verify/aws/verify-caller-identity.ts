// Folder: proofs of an AWS identity (presigned `GetCallerIdentity`): their form, and the caller that AWS STS names.

import { HelperError } from '../../runtime/failure.ts'
import { readBounded } from '../../runtime/network/bounded-body.ts'
import { findNetworkCode, isBusyStatus, isRedirectStatus } from '../../runtime/network/network-failure.ts'
import type { Fetch } from '../../runtime/network/network-fetch.ts'
import { waitUntilAborted } from '../../runtime/wait-at-most.ts'
import { type Identity, TokenRefusal } from '../verdict.ts'
import { type CallerProof, parseProof } from './parse-proof.ts'
import { parseStsAnswer, type StsAnswer, type StsCaller, toCallerClaims } from './parse-sts-answer.ts'
import type { ProofTerms } from './proof-check.ts'
import type { RunInLane } from './proof-lanes.ts'

/** The settings for verifying a proof of an AWS identity. */
export interface CallerContext extends ProofTerms {
  /** The function must follow no redirect, like that of `createStreamFetch`. It gets one request, to a host of AWS STS. */
  readonly fetch: Fetch
  /** Decides when the request to AWS STS is sent; at once if absent. */
  readonly runInLane?: RunInLane
}

/**
 * Verifies a proof of an AWS identity: first every check that needs no request, then AWS STS names the caller. Every call sends a request;
 * the answer is valid until the proof expires.
 * @throws {TokenRefusal} for the first check that fails, `aws-refused`, `aws-unavailable`.
 */
export async function verifyCallerIdentity(
  token: string,
  { fetch, runInLane = (_, ask) => ask(), ...terms }: CallerContext,
): Promise<Identity> {
  const proof = parseProof(token, terms)
  return await runInLane(proof.accessKeyId, async () => toIdentity(proof, await fetchCaller(proof, fetch)))
}

/** @throws {TokenRefusal} `aws-unavailable` if the caller belongs to another partition than the host that answered. */
function toIdentity({ host, partition, signedAt, expiresAt, signature }: CallerProof, caller: StsCaller): Identity {
  const { arn } = caller
  const found = arn.split(':')[1]
  if (found !== partition)
    throw new TokenRefusal('aws-unavailable', {
      note: `${host} is of ${partition}, and answered with a caller of ${found}`,
    })
  return {
    kind: 'aws-identity',
    issuer: host,
    subject: arn,
    claims: toCallerClaims(caller, partition),
    issuedAt: signedAt,
    expiresAt,
    useKey: `aws ${signature}`,
  }
}

/** The time for the whole request, and the size of the answer, which has a few hundred bytes. Our decisions. */
const bounds = { sec: 5, bytes: 16 * 1024 }

const hint = 'find out what answers in place of AWS STS'

/**
 * Sends a proof to AWS STS once, as it was signed, and returns the caller that AWS STS names. A redirect counts as an answer from another
 * server.
 * @throws {TokenRefusal} `aws-refused` if AWS STS refuses; `aws-unavailable` if AWS does not answer in time.
 */
async function fetchCaller({ host, request }: CallerProof, fetch: Fetch): Promise<StsCaller> {
  const { url, ...init } = request
  const limit = AbortSignal.timeout(bounds.sec * 1000)
  const exchange = async () => {
    const response = await fetch(url, { ...init, redirect: 'manual', signal: limit })
    const text = (await readBounded(response, host, { ...bounds, hint })).toString('utf8')
    return { status: response.status, type: response.headers.get('content-type'), text }
  }
  const toLateFailure = () =>
    new HelperError('unavailable', `${host} gave no answer within ${bounds.sec} s`, 'check the network and the proxy')
  const { status, type, text } = await waitUntilAborted(limit, exchange(), toLateFailure).catch((error: unknown) => {
    throw toUnavailable(error, host)
  })
  const answer = parseStsAnswer(text, type)
  if (answer?.kind === 'caller' && status === 200) return answer.caller
  throw rejectAnswer(answer, { status, host })
}

/** Turns a network failure into a refusal; any other error is a defect and stays as it is. */
function toUnavailable(error: unknown, host: string): unknown {
  const code = findNetworkCode(error)
  if (error instanceof HelperError) return new TokenRefusal('aws-unavailable', { note: error.message, cause: error })
  if (code === undefined) return error
  return new TokenRefusal('aws-unavailable', { note: `${host} cannot be reached (${code})`, cause: error })
}

/** Creates the refusal for an answer that names no caller. */
function rejectAnswer(
  answer: StsAnswer | undefined,
  { status, host }: { readonly status: number; readonly host: string },
): TokenRefusal {
  if (isBusyStatus(status)) return new TokenRefusal('aws-unavailable', { note: `${host} answered HTTP ${status}` })
  if (answer?.kind === 'error' && status >= 400) return rejectError(answer, status)
  const what = isRedirectStatus(status) ? 'a redirect' : 'something that is not an answer of AWS STS'
  return new TokenRefusal('aws-unavailable', { note: `${host} answered HTTP ${status} with ${what}: ${hint}` })
}

type StsError = Extract<StsAnswer, { kind: 'error' }>

/** The codes of an outage or of throttling. AWS sends them with a status of 4xx too, so the status alone is not enough. */
const outage =
  /^(Throttl|RequestThrottled|RequestLimitExceeded|TooManyRequests|SlowDown|ServiceUnavailable|Internal|RequestTimeout$)/

/** The meaning of an error for the caller; the first row that fits is used. The messages of AWS are compared, never repeated. */
const meanings: readonly { readonly fits: (error: StsError) => boolean; readonly detail: string }[] = [
  {
    fits: ({ code, message }) => /^(ExpiredToken|RequestExpired)/.test(code) || message.startsWith('Signature expired'),
    detail: 'AWS STS says that the proof, or the credentials that signed it, have expired',
  },
  {
    fits: ({ message }) => message.startsWith('Signature not yet current'),
    detail: 'AWS STS says that it is signed in the future: the clock that signed it is ahead',
  },
  {
    fits: ({ code }) => code === 'SignatureDoesNotMatch',
    detail: 'AWS STS says that its signature does not hold: it is for another audience, or was changed',
  },
  {
    fits: ({ code }) => /^(InvalidClientTokenId|UnrecognizedClient|InvalidAccessKeyId)/.test(code),
    detail: 'AWS STS says that it does not know the credentials that signed it',
  },
]

function rejectError(error: StsError, status: number): TokenRefusal {
  const note = `AWS STS answered HTTP ${status}, ${error.code}`
  if (outage.test(error.code)) return new TokenRefusal('aws-unavailable', { note })
  const detail = meanings.find(({ fits }) => fits(error))?.detail
  return new TokenRefusal('aws-refused', { note, detail })
}
