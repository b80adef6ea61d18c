import { GetRoleCredentialsCommand, SSOClient } from '@aws-sdk/client-sso'
import { fromSso } from '@aws-sdk/token-providers'
import { getSSOTokenFromFile } from '@smithy/core/config'
import { HelperError } from '../../../runtime/failure.ts'
import { Secret } from '../../../runtime/secret.ts'
import { createClientSettings } from '../sdk/client-settings.ts'
import { findOutage, toFailure } from '../sdk/failures.ts'
import { interceptionHint } from '../sdk/interception-hint.ts'
import type { AwsContext, AwsCredentials } from './aws-credentials.ts'
import type { SourceOf } from './credential-source.ts'
import { describePaths, describeRenewal } from './hints.ts'
import type { AwsPlan } from './plan.ts'

type Sso = SourceOf<'sso'>

/** Gets a role's credentials with the sign-in that `aws sso login` stored, which is renewed first where it can be. */
export async function fetchSsoCredentials(source: Sso, context: AwsContext): Promise<AwsCredentials> {
  const { call, plan } = context
  const accessToken = await resolveAccessToken(source, context)
  const { region } = source
  const settings = createClientSettings({ service: 'sso', region, endpoints: plan.endpoints }, call)
  const { requestHandler } = settings
  const client = new SSOClient(settings)
  const { account: accountId, role: roleName } = source
  const command = new GetRoleCredentialsCommand({ accountId, roleName, accessToken: accessToken.reveal() })
  try {
    const { roleCredentials: keys } = await call.deadline.during(
      requestHandler.describe(toServiceName(source)),
      ({ signal }) => client.send(command, { abortSignal: signal }),
    )
    if (!keys?.accessKeyId || !keys.secretAccessKey || !keys.expiration)
      throw new HelperError('refused', 'AWS SSO answered without credentials', interceptionHint)
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
    if ((error as Error).name === 'UnauthorizedException')
      throw toSignInError(source, plan, 'is no longer accepted', error)
    throw toFailure(error, {
      service: toServiceName(source),
      refusal: `AWS SSO refused the role ${source.role} in account ${source.account} of profile "${source.profile}"`,
      hint: `have that role assigned to you, or correct sso_account_id and sso_role_name in ${describePaths(source.profile, plan.files)}`,
      proof: { name: 'the sign-in', renewalHint: describeRenewal(source, plan.files) },
    })
  } finally {
    client.destroy()
  }
}

/** The access token of the sign-in. The SDK's own provider renews it, which it can only for a named session. */
async function resolveAccessToken(source: Sso, { host, call, plan }: AwsContext): Promise<Secret> {
  const stored = await call.deadline.during('reading the SSO session', () => readSession(source, plan))
  const end = stored.expiresAt.toISOString()
  if (source.session === undefined || !stored.isRenewable) {
    if (stored.expiresAt.getTime() <= host.clock.now()) throw toSignInError(source, plan, `expired at ${end}`)
    return stored.accessToken
  }
  const { region } = source
  const settings = createClientSettings({ service: 'sso-oidc', region, endpoints: plan.endpoints }, call)
  const { requestHandler, logger } = settings
  const provider = fromSso({
    profile: source.profile,
    configFilepath: plan.files.configPath,
    filepath: plan.files.credentialsPath,
    clientConfig: settings,
    logger,
  })
  try {
    const { token } = await call.deadline.during(
      requestHandler.describe(`${toServiceName(source)}, asked to renew the sign-in,`),
      () => provider(),
    )
    return new Secret(token)
  } catch (error) {
    if (error instanceof HelperError) throw error
    // Profiles share a session, and a refresh token works once: another run may have just renewed the sign-in.
    const renewed = await call.deadline.during('reading the SSO session', () => readSession(source, plan))
    if (renewed.expiresAt.getTime() > host.clock.now()) return renewed.accessToken
    throw (
      findOutage(requestHandler.lastError, toServiceName(source)) ??
      toSignInError(source, plan, `expired at ${end} and cannot be renewed`, error)
    )
  }
}

/**
 * Reads the session that `aws sso login` stored. A damaged file counts as a missing one, because the same command fixes both.
 */
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
    throw toSignInError(source, plan, 'is not signed in', error)
  }
}

/** @throws {RangeError} for a text that is not a date. */
function parseDate(text: string): Date {
  return new Date(new Date(text).toISOString())
}

function toServiceName({ region }: Sso): string {
  return `AWS SSO in ${region}`
}

function toSignInError(source: Sso, { files }: AwsPlan, how: string, cause?: unknown): HelperError {
  const message = `the SSO session "${source.session ?? source.startUrl}" ${how}`
  return new HelperError('sign-in-required', message, describeRenewal(source, files), { cause })
}
