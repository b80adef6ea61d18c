import { parsePrincipal } from '../../../contract/aws-identity/parse-principal.ts'
import type { Call } from '../../../helper/define-helper.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { describeSkew } from '../../clock-offset.ts'
import type { LoginSite } from '../login/login-site.ts'
import { describeUnknownRegion } from '../regions/describe-unknown-region.ts'
import { addProfileAuthority } from '../request/request-context.ts'
import type { SsoSite } from '../sso/sso-parts.ts'
import type { AwsContext, AwsCredentials } from './aws-credentials.ts'
import type { CredentialSource, SourceOf } from './credential-source.ts'
import { describePaths, describeRenewal } from './hints.ts'
import type { AwsPlan } from './plan.ts'

/**
 * Gets the credentials that a plan names, and no others.
 * @throws {HelperError} naming the profile, the file and the command that fixes it.
 */
export async function resolveAwsCredentials(given: AwsContext): Promise<AwsCredentials> {
  const context = addProfileAuthority(given)
  warnAboutRegion(context)
  const credentials = await resolveSource(context.plan.source, context)
  refuseIfExpired(credentials, context)
  const known = await addCaller(credentials, context)
  warnAboutClock(known, context.call)
  return known
}

/** Facts for header templates; those that these credentials do not know are missing. */
export function toAwsFacts({ arn, ...stated }: AwsCredentials, { region, source }: AwsPlan): Record<string, string> {
  const profile = source.kind === 'environment' ? undefined : source.profile
  const principal = arn === undefined ? {} : parsePrincipal(arn)
  const { account = principal.account, role = principal.role } = stated
  const facts = { profile, account, region, role, arn, session_name: principal.sessionName }
  return Object.fromEntries(Object.entries(facts).filter((entry): entry is [string, string] => Boolean(entry[1])))
}

/** Facts that AWS knows of every caller, so that it is asked for one that the credentials do not state. */
const callerFacts = ['account', 'role', 'arn', 'session_name']

/** The same credentials with the caller's ARN, where a header asks for a fact that only AWS knows. */
async function addCaller(credentials: AwsCredentials, context: AwsContext): Promise<AwsCredentials> {
  const { call, plan } = context
  const known = toAwsFacts(credentials, plan)
  const isMissing = (fact: string) => call.wantedFacts?.has(fact) && !Object.hasOwn(known, fact)
  if (known.arn || !callerFacts.some(isMissing)) return credentials
  const { arn, clockOffsetMs } = await askCaller(credentials, context)
  return { ...credentials, arn, clockOffsetMs: credentials.clockOffsetMs ?? clockOffsetMs }
}

/** Asks AWS STS whose credentials these are. @throws {HelperError} */
export async function askCaller(credentials: AwsCredentials, context: AwsContext) {
  // Loaded here, because most calls do not ask.
  const { fetchCaller } = await import('../caller/fetch-caller.ts')
  const { source, files } = context.plan
  return fetchCaller(credentials, describeRenewal(source, files), context)
}

async function resolveSource(source: CredentialSource, context: AwsContext): Promise<AwsCredentials> {
  const credentials = await resolveKind(source, context)
  context.onStep?.(source, credentials)
  return credentials
}

/** Each kind imports what it needs, because loading all of it would slow every call. */
async function resolveKind(source: CredentialSource, context: AwsContext): Promise<AwsCredentials> {
  switch (source.kind) {
    case 'keys':
    case 'environment':
      return toCredentials(source)
    case 'role': {
      const [{ assumeRole }, from] = await Promise.all([import('./roles.ts'), resolveSource(source.from, context)])
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
      return (await import('./providers.ts')).fetchContainerCredentials(source, context)
    case 'instance':
      return (await import('./providers.ts')).fetchInstanceCredentials(source, context)
  }
}

async function fetchSso(source: SourceOf<'sso'>, { host, call, plan }: AwsContext): Promise<AwsCredentials> {
  const { fetchSsoCredentials } = await import('../sso/sso-credentials.ts')
  return fetchSsoCredentials({ role: source, site: toSsoSite(source, plan), host, call })
}

/** What an SSO sign-in is made and renewed with. */
export function toSsoSite(source: SourceOf<'sso'>, { endpoints, files }: AwsPlan): SsoSite {
  const place = describePaths(source.profile, files)
  return { session: source, endpoints, place, renewalHint: describeRenewal(source, files) }
}

async function fetchLogin(source: SourceOf<'login'>, { host, call, plan }: AwsContext): Promise<AwsCredentials> {
  const { fetchLoginCredentials } = await import('../login/fetch-login-credentials.ts')
  return fetchLoginCredentials({ site: toLoginSite(source, plan), host, call })
}

/** What a console sign-in is made and renewed with. */
export function toLoginSite(source: SourceOf<'login'>, { endpoints, files }: AwsPlan): LoginSite {
  const { profile, session, region } = source
  return { profile, session, region, endpoints, renewalHint: describeRenewal(source, files) }
}

function toCredentials(source: SourceOf<'keys' | 'environment'>): AwsCredentials {
  const { accessKeyId, secretAccessKey, sessionToken, account } = source
  const expiration = source.kind === 'environment' ? source.expiration : undefined
  return { accessKeyId, secretAccessKey, sessionToken, account, expiration }
}

/** A token made from credentials that expire sooner than this could expire before it is used. Our decision. */
const shortestLifeMs = 60_000

function refuseIfExpired({ expiration, clockOffsetMs = 0 }: AwsCredentials, { host, plan }: AwsContext): void {
  const leftMs = expiration ? expiration.getTime() - host.clock.now() - clockOffsetMs : Number.POSITIVE_INFINITY
  if (!expiration || leftMs >= shortestLifeMs) return
  const { source } = plan
  const owner = 'profile' in source && source.profile ? `of profile "${source.profile}"` : 'in the environment'
  throw new HelperError(
    'sign-in-required',
    `the credentials ${owner} ${leftMs > 0 ? 'expire' : 'expired'} at ${expiration.toISOString()}`,
    describeRenewal(source, plan.files),
  )
}

/** Nothing checks the region of a token before a service that was not meant refuses it. */
function warnAboutRegion({ call, plan }: AwsContext): void {
  const problem = describeUnknownRegion(plan.region)
  if (problem !== undefined) call.warn(problem)
}

/** AWS refuses signatures whose date is more than five minutes off, so a token dated by a wrong clock would never work. */
function warnAboutClock({ clockOffsetMs = 0 }: AwsCredentials, call: Call): void {
  const skew = describeSkew(clockOffsetMs, "AWS's")
  if (skew !== undefined) call.warn(`${skew}; what is signed is dated by AWS's clock; set the clock of this machine`)
}
