// Folder: sending one operation to AWS as one POST: encoding, signing, retries and errors, without a client of the SDK.

import { Sha256 } from '@aws-crypto/sha256-js'
import { HttpRequest } from '@smithy/core/protocols'
import { SignatureV4 } from '@smithy/signature-v4'
import { HelperError, toleratedSkewSec } from '../../../runtime/failure.ts'
import { attemptInTime, longestAttemptMs } from '../../../runtime/network/attempt-in-time.ts'
import { readBody } from '../../../runtime/network/bounded-body.ts'
import { findNetworkCode, toUnreachableFailure } from '../../../runtime/network/network-failure.ts'
import { type FetchSettings, openResponse, toResponse } from '../../../runtime/network/open-response.ts'
import { isPauseInTime, retry } from '../../../runtime/network/retry.ts'
import {
  type AttemptOutcome,
  findPauseMs,
  fromOutcome,
  isTransient,
  waitForOutcome,
} from '../../../runtime/network/retry-policy.ts'
import { type RequestTimes, toClockOffset } from '../../clock-offset.ts'
import { type Endpoint, resolveEndpoint } from '../resolve-endpoint.ts'
import {
  type AwsApi,
  type AwsError,
  type AwsInput,
  type AwsOperation,
  awsApis,
  describeApi,
  noErrorCode,
  parseAwsError,
  queryType,
} from './aws-error.ts'
import { interceptionHint, refuseForeignAnswer } from './foreign-answer.ts'
import { isOutageCode } from './request-failures.ts'
import { type RequestContext, type SigningKeys, toSdkKeys, withProfileAuthority } from './signing-keys.ts'

/** The body of a successful answer of AWS, and the offset of AWS's clock. */
export interface AwsAnswer {
  readonly text: string
  /** See `toClockOffset`. */
  readonly clockOffsetMs: number
}

/**
 * Sends one operation to its service in the region of the plan. It is sent again while AWS is busy or unreachable, and with AWS's date
 * after AWS has refused the date of this machine's clock.
 * @param keys The keys that sign it; `undefined` for an operation whose input proves the caller.
 * @throws {AwsError} for a refusal or a busy service; `HelperError` if AWS did not answer.
 */
export async function sendOperation(
  operation: AwsOperation,
  keys: SigningKeys | undefined,
  given: RequestContext,
): Promise<AwsAnswer> {
  const context = withProfileAuthority(given)
  const { deadline } = context.call
  const stage = `${describeApi(operation.api, context.plan)} (waiting to retry)`
  let aheadMs = keys?.clockOffsetMs ?? 0
  const { outcome, text, refusal, clockOffsetMs } = await retry(
    () => attemptOperation(operation, keys && { keys, aheadMs }, context),
    {
      findPauseMs: (last, attempt) => {
        if (isClockRefused(last)) return isPauseInTime(0, deadline.longestPauseMs()) ? 0 : undefined
        return isBusy(last) ? findPauseMs(last.outcome, attempt, deadline) : undefined
      },
      prepare: async (last, pauseMs) => {
        if (isClockRefused(last)) aheadMs = last.clockOffsetMs
        await deadline.pause('network', stage, pauseMs)
        return 'ready'
      },
    },
  )
  if (refusal) throw convertCodeless(refusal, describeApi(operation.api, context.plan))
  fromOutcome(outcome)
  return { text, clockOffsetMs }
}

/**
 * Sends one operation to its service in the region of the plan, once.
 * @throws {HelperError} `late`, or `not-configured` for an address that cannot be asked.
 */
async function attemptOperation(
  operation: AwsOperation,
  signing: Signing | undefined,
  { host, call, plan }: RequestContext,
): Promise<OperationAttempt> {
  const { api } = operation
  const settings = operation.host === 'regional' ? { ...plan.endpoints, sts: 'regional' as const } : plan.endpoints
  const endpoint = resolveEndpoint({ service: api, region: plan.region }, settings)
  const encoded = encodeOperation(operation)
  const sentAt = host.clock.now()
  const sign = ({ keys, aheadMs }: Signing) =>
    signOperation(encoded, { api, endpoint, keys }, new Date(sentAt + aheadMs))
  const headers = signing ? await sign(signing) : encoded.headers
  const init = { method: 'POST', headers, body: encoded.body }
  const outcome = await waitForOutcome(fetchAnswer(describeApi(api, plan), { url: endpoint.url, init }, call))
  const times = { sentAt, receivedAt: host.clock.now() }
  return { ...(await readOutcome(operation, outcome, times)), outcome, signedAheadMs: signing?.aheadMs }
}

/** Returns whether AWS refused a request whose date was far from its own. The same request with AWS's date may be accepted. */
function isClockRefused({ outcome, refusal, signedAheadMs, clockOffsetMs }: OperationAttempt): boolean {
  if (!refusal || signedAheadMs === undefined || !('response' in outcome)) return false
  const { status, headers } = outcome.response
  const isDated = !Number.isNaN(Date.parse(headers.get('date') ?? ''))
  return isDated && status < 500 && Math.abs(clockOffsetMs - signedAheadMs) > toleratedSkewSec * 1000
}

/** Returns whether the same request may succeed a moment later: AWS is busy, by its status or its code, or the connection failed. */
function isBusy({ outcome, refusal }: OperationAttempt): boolean {
  if (refusal && isOutageCode(refusal.name)) return true
  return isTransient(outcome) || ('error' in outcome && findNetworkCode(outcome.error) === 'ETIMEDOUT')
}

/** An operation as the headers and the body of its POST. */
interface EncodedOperation {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Converts an error without a code; any other error stays as it is. It cannot come from AWS, because AWS sends a code with each refusal, and
 * it has no meaning for permissions.
 */
function convertCodeless(error: AwsError, service: string): AwsError | HelperError {
  const { httpStatusCode: status } = error.$metadata
  if (error.name !== noErrorCode || status >= 500 || status === 429) return error
  const message = `HTTP ${status} came instead of an answer of ${service}`
  return new HelperError('unavailable', message, interceptionHint)
}

interface Signing {
  readonly keys: SigningKeys
  /** How far the date of the signature is ahead of this machine's clock, in milliseconds. */
  readonly aheadMs: number
}

/** Encodes an operation in the protocol of its service: AWS JSON 1.1, or AWS Query. Smithy, "AWS protocols". */
function encodeOperation({ api, name, input }: AwsOperation): EncodedOperation {
  const settings = awsApis[api]
  if (settings.protocol === 'json')
    return {
      headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `${settings.target}.${name}` },
      body: JSON.stringify(input),
    }
  const pairs: Pair[] = [['Action', name], ['Version', settings.version], ...listPairs('', input)]
  return {
    headers: { 'content-type': queryType },
    body: String(new URLSearchParams(pairs)),
  }
}

type Pair = [name: string, value: string]

/**
 * Lists the pairs of a value in AWS Query: the items of a list are numbered from 1 below `member`, and the members of an object follow a
 * dot: `Tags.member.1.Key`.
 */
function listPairs(path: string, value: AwsInput): Pair[] {
  if (typeof value !== 'object') return [[path, String(value)]]
  const members: (readonly [string, AwsInput])[] = Array.isArray(value)
    ? value.map((item: AwsInput, index) => [`member.${index + 1}`, item] as const)
    : Object.entries(value)
  return members.flatMap(([name, member]) => listPairs(path === '' ? name : `${path}.${name}`, member))
}

interface AwsRequest {
  readonly url: URL
  readonly init: RequestInit
}

/** Signs an encoded operation (SigV4) and gives the headers of its POST, the signature in `authorization`. */
async function signOperation(
  { headers, body }: EncodedOperation,
  { api, endpoint, keys }: { api: AwsApi; endpoint: Endpoint; keys: SigningKeys },
  signingDate: Date,
): Promise<Readonly<Record<string, string>>> {
  const { url, region } = endpoint
  const signer = new SignatureV4({ service: api, region, sha256: Sha256, credentials: toSdkKeys(keys) })
  const request = new HttpRequest({
    method: 'POST',
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    body,
    headers: { ...headers, host: url.host },
  })
  const signed = await signer.sign(request, { signingDate })
  return signed.headers
}

/**
 * Sends a request to AWS once, and returns its whole answer.
 * @param service Its name in messages.
 * @throws {HelperError} `late`; `unavailable` if AWS did not answer.
 */
async function fetchAnswer(
  service: string,
  request: AwsRequest,
  { deadline, network }: RequestContext['call'],
): Promise<Response> {
  try {
    return await attemptInTime(deadline, { name: service, longestMs: longestAttemptMs }, (settings) =>
      fetchOnce(request, { network, scope: 'any-host', ...settings }),
    )
  } catch (cause) {
    throw toUnreachable(service, cause)
  }
}

async function readOutcome({ api }: AwsOperation, outcome: AttemptOutcome, times: RequestTimes) {
  if ('error' in outcome) return { text: '', clockOffsetMs: 0 }
  const { response } = outcome
  const { headers } = response
  const text = await response.text()
  return {
    text,
    refusal: response.ok ? undefined : parseAwsError(api, response, text),
    clockOffsetMs: toClockOffset(headers, times),
  }
}

/** One request to AWS, and its outcome. */
interface OperationAttempt {
  readonly outcome: AttemptOutcome
  /** The body of the answer; empty if there is none. */
  readonly text: string
  /** The error in the answer, if there is one. */
  readonly refusal?: AwsError | undefined
  /** How far the date of the signature was ahead of this machine's clock, in milliseconds; `undefined` without a signature. */
  readonly signedAheadMs: number | undefined
  /** See `toClockOffset`; 0 if nothing answered. */
  readonly clockOffsetMs: number
}

async function fetchOnce({ url, init }: AwsRequest, settings: FetchSettings): Promise<Response> {
  const message = await openResponse(url, init, settings)
  const { statusCode: status = 0, headers } = message
  try {
    refuseForeignAnswer({ status, type: headers['content-type'] }, url.hostname)
    settings.report(`reading the answer of ${url.host}`)
    return toResponse(url, message, Buffer.from(await readBody(message, url.hostname)))
  } finally {
    message.destroy()
  }
}

/**
 * Names the service instead of its host in the message. A failure that the connection itself explains, such as a proxy's, stays as it is.
 */
function toUnreachable(service: string, cause: unknown): unknown {
  const code = cause instanceof HelperError ? undefined : findNetworkCode(cause)
  return code === undefined ? cause : toUnreachableFailure(service, code, cause)
}
