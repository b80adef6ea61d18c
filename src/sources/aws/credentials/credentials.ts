import type { Call } from '../../../helper/define-helper.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { describeSkew } from '../../clock-offset.ts'
import type { AwsContext, AwsCredentials } from './aws-credentials.ts'
import type { CredentialSource, SourceOf } from './credential-source.ts'
import type { AwsPlan } from './plan.ts'
import { renewalOf } from './renewal.ts'

/**
 * Gets the credentials that a plan names, and no others.
 * @throws {HelperError} naming the profile, the file and the command that mends it.
 */
export async function resolveAwsCredentials(given: AwsContext): Promise<AwsCredentials> {
  const surroundings = believeProfile(given)
  const credentials = await resolveSource(surroundings.plan.source, surroundings)
  refuseIfExpired(credentials, surroundings)
  warnOfClock(credentials, surroundings.call)
  return credentials
}

/** The same surroundings, in which whoever the profile's `ca_bundle` names is believed too. */
export function believeProfile(surroundings: AwsContext): AwsContext {
  const { call, plan } = surroundings
  const { authorities } = call.network
  if (!plan.authority || authorities.includes(plan.authority)) return surroundings
  return {
    ...surroundings,
    call: { ...call, network: { ...call.network, authorities: [...authorities, plan.authority] } },
  }
}

/** Facts for header templates; those that these credentials do not tell are missing. */
export function awsFactsOf({ account, role }: AwsCredentials, { region, source }: AwsPlan): Record<string, string> {
  const profile = source.kind === 'environment' ? undefined : source.profile
  return Object.fromEntries(
    Object.entries({ profile, account, region, role }).filter((entry): entry is [string, string] => Boolean(entry[1])),
  )
}

/** Each kind loads the part of the SDK that it needs, when it needs it. */
async function resolveSource(source: CredentialSource, surroundings: AwsContext): Promise<AwsCredentials> {
  switch (source.kind) {
    case 'keys':
    case 'environment':
      return keysOf(source)
    case 'role': {
      const [{ assumeRole }, from] = await Promise.all([import('./roles.ts'), resolveSource(source.from, surroundings)])
      return assumeRole(source, from, surroundings)
    }
    case 'web-identity':
      return (await import('./roles.ts')).assumeRoleWithWebIdentity(source, surroundings)
    case 'process':
      return (await import('./credential-process.ts')).runCredentialProcess(source, surroundings)
    case 'sso':
      return (await import('./sso.ts')).provideSso(source, surroundings)
    case 'login':
      return (await import('./providers.ts')).provideLogin(source, surroundings)
    case 'container':
      return (await import('./providers.ts')).provideContainer(source, surroundings)
    case 'instance':
      return (await import('./providers.ts')).provideInstance(source, surroundings)
  }
}

function keysOf(source: SourceOf<'keys' | 'environment'>): AwsCredentials {
  const { accessKeyId, secretAccessKey, sessionToken, account } = source
  const expiration = source.kind === 'environment' ? source.expiration : undefined
  return { accessKeyId, secretAccessKey, sessionToken, account, expiration }
}

/** A token over credentials that end sooner than this would be dead before it is used. Our decision. */
const shortestLifeMs = 60_000

function refuseIfExpired({ expiration, clockOffsetMs = 0 }: AwsCredentials, { host, plan }: AwsContext): void {
  const leftMs = expiration ? expiration.getTime() - host.clock.now() - clockOffsetMs : Number.POSITIVE_INFINITY
  if (!expiration || leftMs >= shortestLifeMs) return
  const { source } = plan
  const owner = 'profile' in source && source.profile ? `of profile "${source.profile}"` : 'in the environment'
  throw new HelperError(
    'sign-in-required',
    `the credentials ${owner} ${leftMs > 0 ? 'end' : 'expired'} at ${expiration.toISOString()}`,
    renewalOf(source, plan.files),
  )
}

/** AWS refuses signatures that are more than five minutes off; a token signed by a wrong clock would be dead on arrival. */
function warnOfClock({ clockOffsetMs = 0 }: AwsCredentials, call: Call): void {
  const skew = describeSkew(clockOffsetMs, "AWS's")
  if (skew !== undefined) call.warn(`${skew}; the token is dated by AWS's clock: set the clock`)
}
