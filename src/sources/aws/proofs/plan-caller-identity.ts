// Folder: requests that are signed and not sent, which prove an identity: short-term keys for services, and `GetCallerIdentity`.

import { type ProofForm, proofForms } from '../../../contract/aws/caller-identity.ts'
import { selectPartition } from '../../../contract/aws/partitions.ts'
import { globalSts } from '../../../contract/aws/sts-hosts.ts'
import { isReservedHeader, validateHeader } from '../../../contract/client-headers.ts'
import type { GivenOptions, Options, OptionTable } from '../../../helper/options/option-table.ts'
import { HelperError, type Problem, validateReading } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import { awsOptions } from '../credentials/aws-options.ts'
import type { AwsPlan } from '../credentials/credential-source.ts'
import { planAwsCredentials, validateAwsOptions } from '../credentials/plan-credentials.ts'
import type { HostVariant } from '../endpoint-settings.ts'
import { resolveEndpoint } from '../resolve-endpoint.ts'

/** The inputs of a proof of an identity. */
export interface CallerIdentityPlan extends AwsPlan {
  readonly proof: {
    readonly form: ProofForm
    readonly prefix: string
    /** The header that carries the audience; `undefined` if no audience is signed. */
    readonly audience: AudienceHeader | undefined
    /** The host that the request is for, and the region in its signature. */
    readonly host: string
    readonly region: string
  }
}

/** The value of an option that switches it off. */
const none = 'none'

/** Finds problems that the options have on every machine of this system. */
export function validateCallerIdentity(
  { audience, ...others }: GivenOptions<typeof callerIdentityOptions>,
  { platform }: Pick<Host, 'platform'>,
): Problem[] {
  const { region } = others
  const partition = region === undefined ? undefined : selectPartition(region).id
  return [
    ...(audience === undefined ? [] : validateReading(() => toAudience({ ...others, audience }))),
    ...validateReading(() => toPrefix(others)),
    ...(partition === undefined ? [] : validateReading(() => refuseMissingGlobal(others, partition))),
    ...validateAwsOptions(others, platform),
  ]
}

interface AudienceHeader {
  readonly name: string
  readonly value: string
}

/**
 * Plans the credentials and the request of a proof.
 * @throws {HelperError} `usage` for options that contradict each other or cannot be sent, or as for any AWS profile.
 */
export async function planCallerIdentity(host: Host, options: CallerIdentityOptions): Promise<CallerIdentityPlan> {
  const audience = toAudience(options)
  const prefix = toPrefix(options)
  const plan = await planAwsCredentials(host, options)
  const endpoint = selectStsHost(options, plan)
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
    throw new HelperError(
      'usage',
      'audience is set to none, but audience-header names a header',
      'remove one of the two',
    )
  const name = given ?? proofForms[options.form].audienceHeader
  const problem = isReservedHeader(name) ? `"${name}" cannot carry an audience` : validateHeader(name, value)
  if (problem !== undefined) throw new HelperError('usage', problem, 'correct audience or audience-header')
  if (/^x-amz-/i.test(name))
    throw new HelperError('usage', `"${name}" belongs to AWS`, 'name a header with --audience-header that does not')
  return { name, value }
}

function toPrefix({ form, prefix = proofForms[form].prefix }: Pick<CallerIdentityOptions, 'form' | 'prefix'>): string {
  if (prefix === none) return ''
  if (/^[\x21-\x7e]*$/.test(prefix)) return prefix
  throw new HelperError('usage', 'prefix has a character beyond visible ASCII', 'correct prefix')
}

/**
 * Selects the host of AWS STS. A Vault without `sts_endpoint` sends the request to the global host only, which only the commercial
 * partition has.
 */
function selectStsHost(
  options: CallerIdentityOptions,
  { region, endpoints }: AwsPlan,
): { host: string; region: string } {
  const { form, 'sts-endpoint': wanted } = options
  const partition = selectPartition(region).id
  refuseMissingGlobal(options, partition, endpoints)
  if ((wanted ?? proofForms[form].endpoint) === 'global' && hasGlobalSts(partition, endpoints))
    return { host: globalSts.host, region: globalSts.region }
  // A configured address applies only to requests of this program, and another server sends the proof.
  const found = resolveEndpoint({ service: 'sts', region }, { ...endpoints, configured: {} })
  return { host: found.url.host, region: found.region }
}

function hasGlobalSts(partition: string, { fips, dualStack }: Partial<HostVariant> = {}): boolean {
  return partition === globalSts.partition && !fips && !dualStack
}

/** Refuses the global host in a partition without one. @throws {HelperError} `usage` */
function refuseMissingGlobal(
  { 'sts-endpoint': wanted }: Pick<CallerIdentityOptions, 'sts-endpoint'>,
  partition: string,
  variant?: HostVariant,
): void {
  if (wanted !== 'global' || hasGlobalSts(partition, variant)) return
  throw new HelperError(
    'usage',
    `sts-endpoint is global, and there is no global AWS STS ${partition === 'aws' ? 'with FIPS or dual-stack' : `in ${partition}`}`,
    'set sts-endpoint to regional',
  )
}

/** In seconds. A client that keeps proofs for longer would send some of them in the last minute of their life, or later. Our decision. */
export const longestProofTtlSec = 840

/** The options of a helper that proves an AWS identity. */
export const callerIdentityOptions = {
  ...awsOptions,
  audience: {
    value: 'text',
    required: true,
    summary:
      'the server that the proof is for, by the name that it expects; no other accepts it. none signs no audience',
  },
  'audience-header': {
    value: 'text',
    summary: `the signed header with the audience (default: ${proofForms.url.audienceHeader}; for vault ${proofForms.vault.audienceHeader})`,
  },
  form: {
    value: ['url', 'vault'],
    default: 'url',
    summary: 'a signed URL, as aws-iam-authenticator takes it, or the login of Vault',
  },
  prefix: {
    value: 'text',
    summary: `what the proof begins with, or none (default: ${proofForms.url.prefix} before a URL, none for vault)`,
  },
  'sts-endpoint': {
    value: ['regional', 'global'],
    summary:
      "the host of AWS STS in the proof: the region's, or sts.amazonaws.com (default: regional; for vault global)",
  },
} as const satisfies OptionTable

/** The values of {@link callerIdentityOptions}. */
type CallerIdentityOptions = Options<typeof callerIdentityOptions>
