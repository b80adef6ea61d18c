// Folder: the chain of an AWS profile: planned first, then walked, one file per kind of credential.

import { parsePrincipal } from '../../../contract/aws/caller-identity.ts'
import { shortestLifeMs } from '../../../contract/freshness.ts'
import type { Call } from '../../../helper/define-helper.ts'
import { clockHint, HelperError } from '../../../runtime/failure.ts'
import { describeSkew } from '../../clock-offset.ts'
import { describeUnknownRegion } from '../endpoint-settings.ts'
import { withProfileAuthority } from '../request/signing-keys.ts'
import { fetchFromSource, findProfile } from './aws-source-kinds.ts'
import type { AwsContext, AwsCredentials, AwsPlan } from './credential-source.ts'

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
