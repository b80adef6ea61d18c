import { fromHttp } from '@aws-sdk/credential-providers'
import { HelperError, isProgrammingError, toHelperError } from '../../../runtime/failure.ts'
import { refusePipes } from '../../../runtime/network/connect/trust.ts'
import { Secret } from '../../../runtime/secret.ts'
import { refuseUnusableToken } from '../metadata/container-endpoint.ts'
import { fetchInstanceKeys } from '../metadata/fetch-instance-keys.ts'
import { silentLogger } from '../sdk/silent-logger.ts'
import type { AwsContext, AwsCredentials } from './aws-credentials.ts'
import { dropUrlSecrets, type SourceOf } from './credential-source.ts'
import { describeRenewal } from './hints.ts'

/** A metadata service beside this machine answers at once or does not exist, so there is one short retry. */
const metadataSettings = { timeout: 1_000, maxRetries: 1, logger: silentLogger }

/** Gets the credentials of a container from the endpoint that its environment names. */
export async function fetchContainerCredentials(
  source: SourceOf<'container'>,
  { host, call, plan }: AwsContext,
): Promise<AwsCredentials> {
  try {
    return toCredentials(
      await call.deadline.during('the container credentials endpoint', async () => {
        await Promise.all([refusePipes(call.network), refuseUnusableToken(host.env)])
        return fromHttp(metadataSettings)()
      }),
    )
  } catch (error) {
    throw toMetadataFailure(
      error,
      `the container credentials endpoint ${dropUrlSecrets(source.endpoint)}`,
      describeRenewal(source, plan.files),
    )
  }
}

/** Gets the credentials of the machine from its instance metadata service. */
export async function fetchInstanceCredentials(
  { endpoint, ...source }: SourceOf<'instance'>,
  { host, call, plan }: AwsContext,
): Promise<AwsCredentials> {
  const hint = describeRenewal({ ...source, endpoint }, plan.files)
  const keys = await fetchInstanceKeys({ endpoint, hint }, call)
  const now = host.clock.now()
  if (keys.expiration.getTime() > now) return keys
  call.warn(
    `the instance's credentials expired at ${keys.expiration.toISOString()} and AWS has not renewed them; they are used for as long as its services accept them`,
  )
  return { ...keys, expiration: new Date(now + extensionMs) }
}

/**
 * How long expired credentials of an instance are used before the service is asked again, as the AWS SDKs do while AWS
 * cannot renew them. AWS documentation, "Static stability for Amazon EC2 instance credentials".
 */
const extensionMs = 10 * 60_000

/**
 * This provider says what happened in the text of its errors only; the status or code in it is repeated and nothing else.
 */
function toMetadataFailure(error: unknown, service: string, hint: string): HelperError {
  if (error instanceof HelperError) return error
  if (isProgrammingError(error)) return toHelperError(error)
  const { message, statusCode } = error as Error & { statusCode?: number }
  const status = Number(statusCode ?? /status: (\d{3})/.exec(message)?.[1])
  const reason = status
    ? `answered with HTTP ${status}`
    : `cannot be reached or gave no credentials (${findCode(error)})`
  const isRefusal = status >= 400 && status < 500 && status !== 408 && status !== 429
  return new HelperError(isRefusal ? 'refused' : 'unavailable', `${service} ${reason}`, hint, { cause: error })
}

function findCode(error: unknown): string {
  const { code, message, name } = error as NodeJS.ErrnoException
  return code ?? /\bE[A-Z]{4,}\b|TimeoutError/.exec(message)?.[0] ?? name
}

interface Keys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
  readonly expiration?: Date
  readonly accountId?: string
}

function toCredentials({ accessKeyId, secretAccessKey, sessionToken, expiration, accountId }: Keys): AwsCredentials {
  return {
    accessKeyId,
    secretAccessKey: new Secret(secretAccessKey),
    sessionToken: sessionToken ? new Secret(sessionToken) : undefined,
    expiration,
    account: accountId,
  }
}
