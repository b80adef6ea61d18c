// Folder: the chain of an AWS profile: planned first, then walked, one file per kind of credential.

import { parsePrincipal } from '../../../contract/aws/caller-identity.ts'
import { shortestLifeMs } from '../../../contract/freshness.ts'
import type { Call } from '../../../helper/define-helper.ts'
import { clockHint, HelperError } from '../../../runtime/failure.ts'
import { describeSkew } from '../../clock-offset.ts'
import { describeUnknownRegion } from '../endpoint-settings.ts'
import { describePaths } from '../files/locate-setting.ts'
import type { LoginSite } from '../login/login-site.ts'
import { withProfileAuthority } from '../request/signing-keys.ts'
import type { SsoSite } from '../sso/sso-session.ts'
import { findProfile, isPersonal } from './aws-source-kinds.ts'
import {
  type AwsContext,
  type AwsCredentialSource,
  type AwsCredentials,
  type AwsPlan,
  type SourceOf,
  selectFirst,
} from './credential-source.ts'

/**
 * Fetches the credentials of a plan, and tries no other source.
 * @throws {HelperError} that names the profile, the file and the command that fixes it.
 */
export async function fetchAwsCredentials(given: AwsContext): Promise<AwsCredentials> {
  const context = withProfileAuthority(given)
  tellUnknownRegion(context)
  const credentials = await fetchFromSource(context.plan.source, context)
  refuseIfExpired(credentials, context)
  const known = await addCaller(credentials, context)
  tellAwsSkew(known.clockOffsetMs ?? 0, context.call)
  return known
}

/** Collects the facts for header templates, as far as the credentials have them. */
export function toAwsFacts({ arn, ...stated }: AwsCredentials, { region, source }: AwsPlan): Record<string, string> {
  const profile = findProfile(source)
  const principal = arn === undefined ? {} : parsePrincipal(arn)
  const { account = principal.account, role = principal.role } = stated
  const facts = { profile, account, region, role, arn, session_name: principal.sessionName }
  return Object.fromEntries(Object.entries(facts).filter((entry): entry is [string, string] => Boolean(entry[1])))
}

/** The facts that AWS STS has about every caller. It is asked for them if the credentials do not have them. */
const callerFacts = ['account', 'role', 'arn', 'session_name']

/** Asks AWS STS whose credentials these are. @throws {HelperError} */
export async function askCaller(credentials: AwsCredentials, context: AwsContext) {
  const { fetchCaller } = await import('../request/fetch-caller.ts')
  return fetchCaller(credentials, context.plan.describeRenewal(), context)
}

async function fetchFromSource(source: AwsCredentialSource, context: AwsContext): Promise<AwsCredentials> {
  const credentials = await fetchByKind(source, context)
  context.onStep?.(source, credentials)
  return credentials
}

/** Fetches credentials of one kind. Each kind imports its own code, because loading all of it would slow every call. */
async function fetchByKind(source: AwsCredentialSource, context: AwsContext): Promise<AwsCredentials> {
  switch (source.kind) {
    case 'keys':
    case 'environment':
      return toCredentials(source)
    case 'role': {
      const [{ assumeRole }, from] = await Promise.all([import('./roles.ts'), fetchFromSource(source.from, context)])
      return assumeRole(source, from, context)
    }
    case 'web-identity':
      return (await import('./roles.ts')).assumeRoleWithWebIdentity(source, context)
    case 'process':
      return (await import('./credential-process.ts')).runCredentialProcess(source, context)
    case 'sso':
      return fetchSso(source, context)
    case 'login':
      return fetchLogin(source, context)
    case 'container':
      return (await import('./container-credentials.ts')).fetchContainerCredentials(source, context)
    case 'instance':
      return (await import('./instance-credentials.ts')).fetchInstanceCredentials(source, context)
    case 'sdk':
      return fetchBySdk(source, context)
  }
}

function toCredentials(source: SourceOf<'keys' | 'environment'>): AwsCredentials {
  const { accessKeyId, secretAccessKey, sessionToken, account } = source
  const expiration = source.kind === 'environment' ? source.expiration : undefined
  return { accessKeyId, secretAccessKey, sessionToken, account, expiration }
}

async function fetchSso(source: SourceOf<'sso'>, { host, call, plan }: AwsContext): Promise<AwsCredentials> {
  const { fetchSsoCredentials } = await import('../sso/sso-credentials.ts')
  return fetchSsoCredentials({ role: source, site: toSsoSite(source, plan), host, call })
}

/** Collects the inputs for making and renewing an SSO sign-in. */
export function toSsoSite(source: SourceOf<'sso'>, { endpoints, files, describeRenewal }: AwsPlan): SsoSite {
  const paths = describePaths(source.profile, files)
  return { session: source, endpoints, paths, renewalHint: describeRenewal() }
}

async function fetchLogin(source: SourceOf<'login'>, { host, call, plan }: AwsContext): Promise<AwsCredentials> {
  const { fetchLoginCredentials } = await import('../login/fetch-login-credentials.ts')
  return fetchLoginCredentials({ site: toLoginSite(source, plan), host, call })
}

/** Collects the inputs for making and renewing a console sign-in. */
export function toLoginSite(source: SourceOf<'login'>, { endpoints, describeRenewal }: AwsPlan): LoginSite {
  const { profile, session, region } = source
  return { profile, session, region, endpoints, renewalHint: describeRenewal() }
}

/**
 * Lets the AWS SDK find the credentials. A sign-in is renewed here first: the SDK writes its file in place and without a lock, and two
 * processes that renew at once would sign the person out.
 * @throws {HelperError} the error of our own chain, if the SDK does not know the setting either.
 */
async function fetchBySdk(source: SourceOf<'sdk'>, context: AwsContext): Promise<AwsCredentials> {
  const { host, call, plan, path } = context
  await renewSignIn(selectFirst(source), context)
  const { fetchSdkCredentials } = await import('../sdk-chain/fetch-sdk-credentials.ts')
  const { mayBeInstance } = await import('./environment-sources.ts')
  const { profile } = source
  const { region, files } = plan
  const request = {
    profile,
    region,
    files,
    path,
    renewalHint: plan.describeRenewal(),
    isPersonal: isPersonal(source),
    mayBeInstance: profile !== undefined || (await mayBeInstance(host.env, host.platform)),
  }
  try {
    return await fetchSdkCredentials(request, { host, call })
  } catch (error) {
    const isUnknownToAll = error instanceof HelperError && error.kind === 'not-configured'
    throw isUnknownToAll && plan.ownFailure ? plan.ownFailure : error
  }
}

async function renewSignIn(first: AwsCredentialSource, { host, call, plan }: AwsContext): Promise<void> {
  if (first.kind === 'login') await fetchLogin(first, { host, call, plan, path: undefined })
  if (first.kind !== 'sso') return
  const [{ requireSsoToken }, { prepareSsoParts }] = await Promise.all([
    import('../sso/access-token.ts'),
    import('../sso/sso-credentials.ts'),
  ])
  await requireSsoToken(first, await prepareSsoParts({ site: toSsoSite(first, plan), host, call }))
}

/** Warns of an unknown region, because otherwise only a refusal by the wrong service would show that it is mistyped. */
function tellUnknownRegion({ call, plan }: AwsContext): void {
  const problem = describeUnknownRegion(plan.region)
  if (problem !== undefined) call.warn(problem)
}

function refuseIfExpired({ expiration, clockOffsetMs = 0 }: AwsCredentials, { host, plan }: AwsContext): void {
  const leftMs = expiration ? expiration.getTime() - host.clock.now() - clockOffsetMs : Number.POSITIVE_INFINITY
  if (!expiration || leftMs >= shortestLifeMs) return
  const profile = findProfile(plan.source)
  const owner = profile === undefined ? 'in the environment' : `of profile "${profile}"`
  throw new HelperError(
    'sign-in-required',
    `the credentials ${owner} ${leftMs > 0 ? 'expire' : 'expired'} at ${expiration.toISOString()}`,
    plan.describeRenewal(),
  )
}

/** Adds the caller's ARN to the credentials, if a header uses a fact that only AWS STS has. */
async function addCaller(credentials: AwsCredentials, context: AwsContext): Promise<AwsCredentials> {
  const { call, plan } = context
  const known = toAwsFacts(credentials, plan)
  const isMissing = (fact: string) => call.wantedFacts?.has(fact) === true && !Object.hasOwn(known, fact)
  if (known.arn || !callerFacts.some(isMissing)) return credentials
  const { arn, clockOffsetMs } = await askCaller(credentials, context)
  return { ...credentials, arn, clockOffsetMs: credentials.clockOffsetMs ?? clockOffsetMs }
}

/**
 * Warns of a wrong clock. AWS refuses a signature with the date of such a clock, so the token would never work.
 */
export function tellAwsSkew(clockOffsetMs: number, call: Call): void {
  const skew = describeSkew(clockOffsetMs, "AWS's")
  if (skew !== undefined) call.warn(`${skew}; what is signed is dated by AWS's clock; ${clockHint}`)
}
