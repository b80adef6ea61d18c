import type { NetworkCall } from '../../../helper/define-helper.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { isMetadataHost, isWebAddress, refusePlainHttp } from '../../../runtime/network/addresses.ts'
import { attemptInTime } from '../../../runtime/network/attempt-in-time.ts'
import { createNetworkFetch } from '../../../runtime/network/network-fetch.ts'
import { retry } from '../../../runtime/network/retry.ts'
import { type AttemptOutcome, findPauseMs, isTransient, waitForOutcome } from '../../../runtime/network/retry-policy.ts'
import { parseObject } from '../../../runtime/values/json-value.ts'
import type { TemporaryKeys } from '../request/signing-keys.ts'
import { parseMetadataKeys } from './container-credentials.ts'
import type { AwsContext, SourceOf } from './credential-source.ts'

/** Fetches the credentials of the machine from its instance metadata service. */
export async function fetchInstanceCredentials(
  { endpoint }: SourceOf<'instance'>,
  { host, call, plan }: InstanceContext,
): Promise<TemporaryKeys> {
  const keys = await fetchInstanceKeys({ endpoint, hint: plan.describeRenewal() }, call)
  const now = host.clock.now()
  if (keys.expiration.getTime() > now) return keys
  call.warn(
    `the instance's credentials expired at ${keys.expiration.toISOString()} and AWS has not renewed them; they are used for as long as its services accept them`,
  )
  return { ...keys, expiration: new Date(now + extensionMs) }
}

/**
 * In milliseconds: how long expired credentials of an instance are used before the service is asked again. The AWS SDKs do the same while
 * AWS cannot renew them. AWS documentation, "Static stability for Amazon EC2 instance credentials".
 */
const extensionMs = 10 * 60_000

/** The parts of the context that are used here. */
interface InstanceContext {
  readonly host: Pick<AwsContext['host'], 'clock'>
  readonly call: NetworkCall
  readonly plan: Pick<AwsContext['plan'], 'describeRenewal'>
}

/** The instance metadata service, and the hint if it returns no credentials. */
interface InstanceService {
  readonly endpoint: string
  /** The remedy, in the imperative. */
  readonly hint: string
}

const tokenPath = '/latest/api/token'
const rolesPath = '/latest/meta-data/iam/security-credentials/'

/**
 * Fetches the keys of this instance's role. Every request carries a session token (IMDSv2). A request without one is never sent, because a
 * program that forwards requests for others could be made to fetch the keys that way.
 * @throws {HelperError}
 */
async function fetchInstanceKeys({ endpoint, hint }: InstanceService, call: NetworkCall): Promise<TemporaryKeys> {
  const base = parseEndpoint(endpoint)
  const send = (path: string, init: RequestInit) => fetchMetadata(call, { url: new URL(path, base), hint }, init)
  const lifeSec = { 'x-aws-ec2-metadata-token-ttl-seconds': '21600' }
  const token = await send(tokenPath, { method: 'PUT', headers: lifeSec })
  const headers = { 'x-aws-ec2-metadata-token': token }
  const role = await send(rolesPath, { headers })
  return parseKeys(await send(`${rolesPath}${encodeURIComponent(role.trim())}`, { headers }), hint)
}

function parseEndpoint(endpoint: string): URL {
  const url = URL.parse(endpoint)
  if (!isWebAddress(url))
    throw new HelperError(
      'not-configured',
      `the address of ${instanceService} is not a web address`,
      'correct or remove AWS_EC2_METADATA_SERVICE_ENDPOINT, or ec2_metadata_service_endpoint of the profile',
    )
  if (!isMetadataHost(url.hostname)) refusePlainHttp(url, 'AWS_EC2_METADATA_SERVICE_ENDPOINT')
  return url
}

/**
 * Sends a request to the instance metadata service and returns the text of its answer. A busy service is asked again. An unreachable
 * service does not exist, and is not asked again.
 * @throws {HelperError}
 */
async function fetchMetadata(call: NetworkCall, { url, hint }: MetadataRequest, init: RequestInit): Promise<string> {
  const { deadline } = call
  const outcome = await retry(() => attempt(call, url, init), {
    findPauseMs: (last, count) =>
      'response' in last && isTransient(last) ? findPauseMs(last, count, deadline) : undefined,
    prepare: async (_, pauseMs) => {
      await deadline.pause('network', `${instanceService} (waiting to retry)`, pauseMs)
      return 'ready'
    },
  })
  return readAnswer(outcome, init, hint)
}

function parseKeys(text: string, hint: string): TemporaryKeys {
  const keys = parseMetadataKeys(text)
  if (keys) return keys
  const code = describeCode(parseObject(text)?.Code)
  throw new HelperError('refused', `${instanceService} gave no credentials${code}`, hint)
}

/** Renders the error code of the service, such as `AssumeRoleUnauthorizedAccess`. Any other text is not repeated. */
function describeCode(code: unknown): string {
  return typeof code === 'string' && /^\w{1,80}$/.test(code) ? ` (${code})` : ''
}

/** The name of the service in messages. */
const instanceService = 'the instance metadata service'

/** In milliseconds: the limit for one complete answer of a service on this machine. Our decision: AWS's tools allow a second. */
const limitMs = 2_000

interface MetadataRequest {
  readonly url: URL
  /** The hint for a refusal, imperative. */
  readonly hint: string
}

function attempt({ deadline, network }: NetworkCall, url: URL, init: RequestInit): Promise<AttemptOutcome> {
  const parts = { name: instanceService, longestMs: limitMs }
  return attemptInTime(deadline, parts, (settings) =>
    waitForOutcome(createNetworkFetch({ network, scope: 'metadata', ...settings })(url.href, init)),
  )
}

async function readAnswer(outcome: AttemptOutcome, { method }: RequestInit, hint: string): Promise<string> {
  if ('error' in outcome) throw toFailure(outcome.error, method, hint)
  const { ok, status } = outcome.response
  if (ok) return outcome.response.text()
  const kind = isTransient(outcome) ? 'unavailable' : 'refused'
  throw new HelperError(kind, `${instanceService} answered with HTTP ${status}`, hint)
}

/**
 * Converts the error of a request. The answer to the first one, a `PUT`, crosses one network hop unless the instance allows more, so that a
 * container waits in vain. AWS documentation, "Configure the instance metadata options".
 */
function toFailure(error: HelperError, method: string | undefined, hint: string): HelperError {
  const { code } = (error.cause ?? {}) as NodeJS.ErrnoException
  if (code === undefined) return error
  const isSilent = code === 'ABORT_ERR'
  const reason = isSilent ? `no answer within ${limitMs / 1000} s` : code
  const message = `${instanceService} cannot be reached (${reason})`
  const hopHint =
    'in a container, let its answers pass: aws ec2 modify-instance-metadata-options --http-put-response-hop-limit 2 --instance-id ID'
  return new HelperError('unavailable', message, isSilent && method === 'PUT' ? hopHint : hint, { cause: error })
}
