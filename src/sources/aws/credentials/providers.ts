import { fetchContainerKeys } from '../metadata/fetch-container-keys.ts'
import { fetchInstanceKeys } from '../metadata/fetch-instance-keys.ts'
import type { AwsContext, AwsCredentials } from './aws-credentials.ts'
import { dropUrlSecrets, type SourceOf } from './credential-source.ts'
import { describeRenewal } from './hints.ts'

/** Gets the credentials of a container from the endpoint that its environment names. */
export function fetchContainerCredentials(
  source: SourceOf<'container'>,
  { host, call, plan }: AwsContext,
): Promise<AwsCredentials> {
  const { endpoint } = source
  const name = `the container credentials endpoint ${dropUrlSecrets(endpoint)}`
  return fetchContainerKeys({ endpoint, name, hint: describeRenewal(source, plan.files) }, { env: host.env, call })
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
