import { fromHttp, fromInstanceMetadata, fromLoginCredentials } from '@aws-sdk/credential-providers'
import { HelperError } from '../../../runtime/failure.ts'
import { ignoreProxyOfRuntime } from '../../../runtime/host.ts'
import { Secret } from '../../../runtime/secret.ts'
import { clientSettings } from '../sdk/client-settings.ts'
import { findOutage } from '../sdk/failures.ts'
import { silentLogger } from '../sdk/silent-logger.ts'
import type { AwsContext, AwsCredentials } from './aws-credentials.ts'
import { type SourceOf, withoutSecrets } from './credential-source.ts'
import { renewalOf } from './renewal.ts'

/** Gets the credentials that `aws login` left, renewing them where they are about to end. */
export async function provideLogin(source: SourceOf<'login'>, { call, plan }: AwsContext): Promise<AwsCredentials> {
  const { requestHandler, retryStrategy, region, logger } = clientSettings(source, call)
  const asked = `the AWS sign-in service in ${region}`
  const provider = fromLoginCredentials({
    profile: source.profile,
    configFilepath: plan.files.configPath,
    filepath: plan.files.credentialsPath,
    clientConfig: { requestHandler, retryStrategy, region, logger },
    logger,
  })
  try {
    const keys = await call.deadline.during(requestHandler.describe(asked), () => provider())
    return { ...toCredentials(keys), clockOffsetMs: requestHandler.clockOffsetMs }
  } catch (error) {
    if (error instanceof HelperError) throw error
    throw (
      findOutage(requestHandler.trouble, asked) ??
      new HelperError(
        'sign-in-required',
        `the console sign-in of profile "${source.profile}" is missing, or has ended and cannot be renewed`,
        renewalOf(source, plan.files),
        { cause: error },
      )
    )
  }
}

/** A metadata service on the same machine answers at once or is not there. */
const near = { timeout: 1_000, maxRetries: 1, logger: silentLogger }

/** Asks the agent beside a container. */
export async function provideContainer(
  source: SourceOf<'container'>,
  { call, plan }: AwsContext,
): Promise<AwsCredentials> {
  try {
    return toCredentials(await call.deadline.during('the container credentials endpoint', () => fromHttp(near)()))
  } catch (error) {
    throw asLocalFailure(
      error,
      `the container credentials endpoint ${withoutSecrets(source.endpoint)}`,
      renewalOf(source, plan.files),
    )
  }
}

/** Asks the machine's own metadata service. */
export async function provideInstance(
  source: SourceOf<'instance'>,
  { call, plan }: AwsContext,
): Promise<AwsCredentials> {
  ignoreProxyOfRuntime()
  const provider = fromInstanceMetadata({ ...near, ...(source.profile !== undefined && { profile: source.profile }) })
  try {
    return toCredentials(await call.deadline.during('the instance metadata service', () => provider()))
  } catch (error) {
    throw asLocalFailure(error, 'the instance metadata service', renewalOf(source, plan.files))
  }
}

/** These providers put what happened into their message; the status or code in it is all that is worth telling. */
function asLocalFailure(error: unknown, who: string, way: string): HelperError {
  if (error instanceof HelperError) return error
  const { message, statusCode } = error as Error & { statusCode?: number }
  const status = Number(statusCode ?? /status: (\d{3})/.exec(message)?.[1])
  const reason = status ? `answered with HTTP ${status}` : `cannot be reached or gave no credentials (${codeIn(error)})`
  const isRefusal = status >= 400 && status < 500 && status !== 408 && status !== 429
  return new HelperError(isRefusal ? 'refused' : 'unavailable', `${who} ${reason}`, way, { cause: error })
}

function codeIn(error: unknown): string {
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
