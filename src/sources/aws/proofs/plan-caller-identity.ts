import { type ProofForm, proofForms } from '../../../contract/aws-identity/caller-identity.ts'
import { globalSts } from '../../../contract/aws-identity/sts-hosts.ts'
import { selectPartition } from '../../../contract/aws-partitions.ts'
import { findHeaderProblem, isReservedHeader } from '../../../contract/client-headers.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import { type AwsPlan, planAwsCredentials } from '../credentials/plan.ts'
import { resolveEndpoint } from '../endpoints/resolve-endpoint.ts'
import type { CallerIdentityOptions } from './caller-identity-options.ts'

/** What a proof of an identity will be made of. */
export interface CallerIdentityPlan extends AwsPlan {
  readonly proof: {
    readonly form: ProofForm
    readonly prefix: string
    /** The header that carries the audience; `undefined` where none is wanted. */
    readonly audience: AudienceHeader | undefined
    /** The host that the request is for, and the region in its signature. */
    readonly host: string
    readonly region: string
  }
}

interface AudienceHeader {
  readonly name: string
  readonly value: string
}

/** The word by which an option says that there is none. */
const none = 'none'

/**
 * Plans the credentials and the request of a proof.
 * @throws {HelperError} `usage` for options that contradict each other or cannot be sent, or as for any AWS profile.
 */
export async function planCallerIdentity(host: Host, options: CallerIdentityOptions): Promise<CallerIdentityPlan> {
  const audience = toAudience(options)
  const prefix = toPrefix(options)
  const plan = await planAwsCredentials(host, options)
  const endpoint = resolveStsHost(options, plan)
  const words = audience ? `for ${audience.value}, in ${audience.name}` : 'for no audience'
  return {
    ...plan,
    proof: { form: options.form, prefix, audience, ...endpoint },
    inputs: { credentials: plan.inputs, endpoint },
    steps: [...plan.steps, `proof ${words}, by ${endpoint.host}`],
  }
}

function toAudience(options: CallerIdentityOptions): AudienceHeader | undefined {
  const { audience: value, 'audience-header': given } = options
  if (value === none && given === undefined) return undefined
  if (value === none)
    throw new HelperError('usage', 'audience is none, and audience-header names a header', 'leave one of the two out')
  const name = given ?? proofForms[options.form].audienceHeader
  const problem = isReservedHeader(name) ? `"${name}" cannot carry an audience` : findHeaderProblem(name, value)
  if (problem !== undefined) throw new HelperError('usage', problem, 'correct audience or audience-header')
  if (/^x-amz-/i.test(name))
    throw new HelperError('usage', `"${name}" belongs to AWS`, 'name a header with --audience-header that does not')
  return { name, value }
}

function toPrefix({ form, prefix = proofForms[form].prefix }: CallerIdentityOptions): string {
  if (prefix === none) return ''
  if (/^[\x21-\x7e]*$/.test(prefix)) return prefix
  throw new HelperError('usage', 'prefix has a character beyond visible ASCII', 'correct prefix')
}

/** A Vault without `sts_endpoint` asks the global host only, which there is in the commercial partition alone. */
function resolveStsHost(
  { form, 'sts-endpoint': wanted }: CallerIdentityOptions,
  { region, endpoints }: AwsPlan,
): { host: string; region: string } {
  const partition = selectPartition(region).id
  const hasGlobal = partition === globalSts.partition && !endpoints.fips && !endpoints.dualStack
  if (wanted === 'global' && !hasGlobal)
    throw new HelperError(
      'usage',
      `sts-endpoint is global, and there is no global AWS STS ${partition === 'aws' ? 'with FIPS or dual-stack' : `in ${partition}`}`,
      'set sts-endpoint to regional',
    )
  if ((wanted ?? proofForms[form].endpoint) === 'global' && hasGlobal)
    return { host: globalSts.host, region: globalSts.region }
  // An address of one's own is where requests are sent; the proof is sent to AWS, by somebody else.
  const found = resolveEndpoint({ service: 'sts', region }, { ...endpoints, configured: {} })
  return { host: found.url.host, region: found.region }
}
