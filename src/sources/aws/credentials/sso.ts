import { GetRoleCredentialsCommand, SSOClient } from '@aws-sdk/client-sso'
import { fromSso } from '@aws-sdk/token-providers'
import { getSSOTokenFromFile } from '@smithy/core/config'
import { HelperError } from '../../../runtime/failure.ts'
import { Secret } from '../../../runtime/secret.ts'
import { clientSettings } from '../sdk/client-settings.ts'
import { asFailure, findOutage } from '../sdk/failures.ts'
import type { AwsContext, AwsCredentials } from './aws-credentials.ts'
import type { SourceOf } from './credential-source.ts'
import type { AwsPlan } from './plan.ts'
import { placesOf, renewalOf } from './renewal.ts'

type Sso = SourceOf<'sso'>

/** Gets a role's credentials with the sign-in that `aws sso login` left, renewing that sign-in where it can be. */
export async function provideSso(source: Sso, surroundings: AwsContext): Promise<AwsCredentials> {
  const { call, plan } = surroundings
  const accessToken = await signIn(source, surroundings)
  const settings = clientSettings(source, call)
  const { requestHandler } = settings
  const asked = `AWS SSO in ${source.region}`
  const client = new SSOClient(settings)
  const { account: accountId, role: roleName } = source
  const command = new GetRoleCredentialsCommand({ accountId, roleName, accessToken: accessToken.reveal() })
  try {
    const { roleCredentials: keys } = await call.deadline.during(requestHandler.describe(asked), ({ signal }) =>
      client.send(command, { abortSignal: signal }),
    )
    if (!keys?.accessKeyId || !keys.secretAccessKey || !keys.expiration)
      throw new HelperError(
        'refused',
        'AWS SSO answered without credentials',
        'find out what stands between here and AWS',
      )
    return {
      accessKeyId: keys.accessKeyId,
      secretAccessKey: new Secret(keys.secretAccessKey),
      sessionToken: keys.sessionToken ? new Secret(keys.sessionToken) : undefined,
      expiration: new Date(keys.expiration),
      account: source.account,
      role: source.role,
      clockOffsetMs: requestHandler.clockOffsetMs,
    }
  } catch (error) {
    if ((error as Error).name === 'UnauthorizedException') throw signedOut(source, plan, 'is no longer accepted', error)
    throw asFailure(error, {
      asked,
      refusal: `AWS SSO refused the role ${source.role} in account ${source.account} of profile "${source.profile}"`,
      way: `have that role assigned to you, or correct sso_account_id and sso_role_name in ${placesOf(source.profile, plan.files)}`,
      proof: { name: 'the sign-in', renewal: renewalOf(source, plan.files) },
    })
  } finally {
    client.destroy()
  }
}

/** The access token of the sign-in; the SDK's own provider renews it where the session is a named one. */
async function signIn(source: Sso, { host, call, plan }: AwsContext): Promise<Secret> {
  const kept = await call.deadline.during('reading the SSO session', () => readSession(source, plan))
  const end = kept.expiresAt.toISOString()
  if (source.session === undefined || !kept.isRenewable) {
    if (kept.expiresAt.getTime() <= host.clock.now()) throw signedOut(source, plan, `expired at ${end}`)
    return kept.accessToken
  }
  const { requestHandler, retryStrategy, logger } = clientSettings(source, call)
  const asked = `AWS SSO in ${source.region}`
  const provider = fromSso({
    profile: source.profile,
    configFilepath: plan.files.configPath,
    filepath: plan.files.credentialsPath,
    clientConfig: { requestHandler, retryStrategy, logger, region: source.region },
    logger,
  })
  try {
    const { token } = await call.deadline.during(requestHandler.describe(`${asked}, asked to renew the sign-in,`), () =>
      provider(),
    )
    return new Secret(token)
  } catch (error) {
    if (error instanceof HelperError) throw error
    // Profiles share a session: another run may have renewed it a moment ago and used up the right to do so.
    const now = await call.deadline.during('reading the SSO session', () => readSession(source, plan))
    if (now.expiresAt.getTime() > host.clock.now()) return now.accessToken
    throw (
      findOutage(requestHandler.trouble, asked) ??
      signedOut(source, plan, `expired at ${end} and cannot be renewed`, error)
    )
  }
}

/** What `aws sso login` left; a file that somebody damaged is as good as none, and the same command mends it. */
async function readSession(source: Sso, plan: AwsPlan) {
  try {
    const { accessToken, expiresAt, refreshToken } = await getSSOTokenFromFile(source.session ?? source.startUrl)
    if (typeof accessToken !== 'string') throw new TypeError('no access token')
    return {
      accessToken: new Secret(accessToken),
      expiresAt: parseDate(expiresAt),
      isRenewable: refreshToken !== undefined,
    }
  } catch (error) {
    throw signedOut(source, plan, 'is not signed in', error)
  }
}

/** @throws {RangeError} for a text that is no date */
function parseDate(text: string): Date {
  return new Date(new Date(text).toISOString())
}

function signedOut(source: Sso, { files }: AwsPlan, how: string, cause?: unknown): HelperError {
  const message = `the SSO session "${source.session ?? source.startUrl}" ${how}`
  return new HelperError('sign-in-required', message, renewalOf(source, files), { cause })
}
