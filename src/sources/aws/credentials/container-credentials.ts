import { setTimeout as sleep } from 'node:timers/promises'
import type { NetworkCall } from '../../../helper/define-helper.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { findNetworkCode } from '../../../runtime/network/network-failure.ts'
import { createNetworkFetch } from '../../../runtime/network/network-fetch.ts'
import { retry } from '../../../runtime/network/retry.ts'
import { type AttemptOutcome, isTransient, waitForOutcome } from '../../../runtime/network/retry-policy.ts'
import type { Environment } from '../../../runtime/run-process.ts'
import { Secret } from '../../../runtime/secret.ts'
import { isText, parseObject } from '../../../runtime/values/json-value.ts'
import type { TemporaryKeys } from '../request/signing-keys.ts'
import { type AwsContext, dropUserAndQuery, type SourceOf } from './credential-source.ts'
import { readAuthorization } from './environment-sources.ts'

/** Fetches the credentials of a container from the endpoint in its environment. @throws {HelperError} */
export async function fetchContainerCredentials(
  source: SourceOf<'container'>,
  { host: { env }, call, plan }: ContainerContext,
): Promise<TemporaryKeys> {
  const { endpoint } = source
  const title = 'the container credentials endpoint'
  const service = {
    endpoint,
    name: `${title} ${dropUserAndQuery(endpoint)}`,
    hint: plan.describeRenewal(),
  }
  const { deadline } = call
  const url = dropUser(endpoint)
  return deadline.during('network', title, async ({ signal }) => {
    const outcome = await retry(() => ask(url, { env, call, signal }), {
      findPauseMs: (last, attempt) =>
        attempt === 1 && isBusy(last) && retryPauseMs < deadline.longestPauseMs() ? retryPauseMs : undefined,
      prepare: async (_, pauseMs) => {
        await sleep(pauseMs, undefined, { signal })
        return 'ready'
      },
    })
    return readAnswer(outcome, service)
  })
}

/** The parts of the context that are used here. */
interface ContainerContext {
  readonly host: Pick<AwsContext['host'], 'env'>
  readonly call: NetworkCall
  readonly plan: Pick<AwsContext['plan'], 'describeRenewal'>
}

/** The credentials endpoint of a container. */
interface ContainerService {
  /** The address, as `findContainerEndpoint` returns it. */
  readonly endpoint: string
  /** The name of the endpoint in messages. */
  readonly name: string
  /** The hint if the endpoint returns no credentials, imperative. */
  readonly hint: string
}

/** In milliseconds. There is one retry, because an endpoint on this machine answers at once or does not exist. Our decision. */
const retryPauseMs = 1_000

/** Removes a user name from the address, because an HTTP request would send it as `Authorization` in place of the token. */
function dropUser(endpoint: string): URL {
  return Object.assign(new URL(endpoint), { username: '', password: '' })
}

/** Sends one request. The token is read each time, because its file is renewed. */
async function ask(
  url: URL,
  { env, call, signal }: { readonly env: Environment; readonly call: NetworkCall; readonly signal: AbortSignal },
): Promise<AttemptOutcome> {
  const authorization = await readAuthorization(env)
  const bounds = { network: call.network, scope: 'metadata', signal, report: () => {} } as const
  return waitForOutcome(createNetworkFetch(bounds)(url.href, authorization ? { headers: { authorization } } : {}))
}

/** Returns whether another attempt may succeed, which is the case for everything except a refusal. */
function isBusy(outcome: AttemptOutcome): boolean {
  return 'error' in outcome ? findNetworkCode(outcome.error.cause) !== undefined : isTransient(outcome)
}

async function readAnswer(outcome: AttemptOutcome, service: ContainerService): Promise<TemporaryKeys> {
  if ('error' in outcome) throw toFailure(outcome.error, service)
  const { name, hint } = service
  const { status } = outcome.response
  const kind = isTransient(outcome) || status < 400 ? 'unavailable' : 'refused'
  if (status !== 200) throw new HelperError(kind, `${name} answered with HTTP ${status}`, hint)
  const keys = parseMetadataKeys(await outcome.response.text())
  if (keys === undefined) throw new HelperError('unavailable', `${name} gave no credentials`, hint)
  return keys
}

/** Converts the error of a request. An error over https stays, because it already names a proxy or a certificate. */
function toFailure(error: HelperError, { endpoint, name }: ContainerService): HelperError {
  const code = endpoint.startsWith('http:') ? findNetworkCode(error.cause) : undefined
  if (code === undefined) return error
  const message = `${name} cannot be reached or gave no credentials (${code})`
  const hint =
    'see whether this runs in a task or pod with a role; its agent sets the variables AWS_CONTAINER_CREDENTIALS_…'
  return new HelperError('unavailable', message, hint, { cause: error })
}

/**
 * Parses the keys in an answer of a metadata service (AWS documentation, "Retrieve security credentials"); `undefined` for any other
 * answer.
 */
export function parseMetadataKeys(text: string): TemporaryKeys | undefined {
  const { AccessKeyId, SecretAccessKey, Token, Expiration, AccountId } = parseObject(text) ?? {}
  const expiration = new Date(isText(Expiration) ? Expiration : Number.NaN)
  if (!isText(AccessKeyId) || !isText(SecretAccessKey) || !isText(Token) || Number.isNaN(expiration.getTime()))
    return undefined
  return {
    accessKeyId: AccessKeyId,
    secretAccessKey: new Secret(SecretAccessKey),
    sessionToken: new Secret(Token),
    expiration,
    account: isText(AccountId) ? AccountId : undefined,
  }
}
