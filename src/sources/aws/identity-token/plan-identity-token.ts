import type { Call, Plan } from '../../../helper/define-helper.ts'
import type { CommonOptions } from '../../../helper/options/every-helper-options.ts'
import { HelperError, type Problem, validateReading } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import { validateTarget } from '../../exchange/exchange-target.ts'
import type { WorkloadPlan } from '../../exchange/plan-workload.ts'
import { identityActions, identityLife, type WebIdentityRequest } from '../../identity/aws-web-identity.ts'
import type { AwsPlan } from '../credentials/credential-source.ts'
import { planAwsCredentials, validateAwsOptions } from '../credentials/plan-credentials.ts'
import { createAwsDiagnosis } from '../helper-declaration.ts'
import { type IdentityTokenOptions, identityTokenOptions } from './identity-token-options.ts'

/** The request to AWS STS, the credentials for it, and the target of an exchange. */
export interface IdentityTokenPlan extends Plan {
  readonly request: WebIdentityRequest
  readonly aws: AwsPlan
  /** `undefined` if the identity token itself is printed. */
  readonly exchange: WorkloadPlan | undefined
}

/** Finds problems that the options have on every machine of this system. */
export function validateIdentityTokenOptions(
  options: IdentityTokenOptions & CommonOptions,
  { platform }: Pick<Host, 'platform'>,
): Problem[] {
  const isAsked = options.audience.length > 0
  return [
    ...(isAsked ? validateReading(() => parseIdentityRequest(options)) : []),
    ...(options.exchange ? validateTarget(options) : []),
    ...validateAwsOptions(options, platform),
  ]
}

/** Plans the credentials, and the target if an exchange is configured. @throws {HelperError} */
export async function planIdentityToken(
  host: Host,
  options: IdentityTokenOptions & CommonOptions,
  call: Pick<Call, 'program'>,
): Promise<IdentityTokenPlan> {
  const request = parseIdentityRequest(options)
  const aws = await planAwsCredentials(host, options)
  const exchange = options.exchange
    ? (await import('./plan-token-exchange.ts')).planExchange({ host, options, program: call.program }, request, aws)
    : undefined
  const tokenStep = `an identity token for ${request.audiences.join(', ')}, signed with ${request.algorithm}`
  const { inputs, isSignedOut, sourceKind } = aws
  const steps = [tokenStep, ...aws.steps, ...(exchange?.steps ?? [])]
  return { request, aws, exchange, inputs, isSignedOut, sourceKind, steps }
}

/** The report of `gatepass doctor` on an identity token: the permissions, the algorithm, and a failed exchange. */
export const identityTokenDiagnosis = createAwsDiagnosis<IdentityTokenOptions, IdentityTokenPlan>({
  toAwsPlan: ({ aws }) => aws,

  permissions: ({ tag }) => [
    { action: identityActions.get, resource: '*' },
    ...(tag.length > 0 ? [{ action: identityActions.tag, resource: '*' }] : []),
  ],

  algorithm: { option: 'algorithm', values: identityTokenOptions.algorithm.value },

  async exchange({ audience }, call, { exchange }) {
    if (!exchange) return undefined
    const { prepareExchange } = await import('../../exchange/plan-workload.ts')
    return prepareExchange({ audience: audience[0] }, call, exchange)
  },
})

/** The limits of `GetWebIdentityToken` (AWS STS API reference). */
const limits = { audiences: 10, audienceLength: 1000, tags: 50, tagNameLength: 128, tagValueLength: 256 } as const

/**
 * Parses the request to AWS from the options.
 * @throws {HelperError} `usage` for a request that AWS would refuse; the message repeats no value.
 */
function parseIdentityRequest(
  options: Pick<IdentityTokenOptions, 'audience' | 'algorithm' | 'lifetime' | 'tag' | 'exchange'> &
    Pick<CommonOptions, 'client-ttl'>,
): WebIdentityRequest {
  const { audience: audiences, algorithm, exchange, 'client-ttl': ttlSec } = options
  refuseAudiences(audiences)
  const { shortestSec, longestSec, exchangeSec } = identityLife
  const usualSec = exchange ? exchangeSec : Math.max(shortestSec, Math.min(2 * ttlSec, longestSec))
  return { audiences, algorithm, lifeSec: options.lifetime ?? usualSec, tags: parseTags(options.tag) }
}

function refuseAudiences(audiences: readonly string[]): void {
  const hint = `set 1 to ${limits.audiences}, each of at most ${limits.audienceLength} characters`
  if (audiences.length === 0 || audiences.length > limits.audiences)
    throw new HelperError('usage', `audience: ${audiences.length} are given`, hint)
  if (audiences.some((text) => text === '' || text.length > limits.audienceLength))
    throw new HelperError('usage', 'audience: one is empty or too long', hint)
}

function parseTags(texts: readonly string[]): WebIdentityRequest['tags'] {
  const tags = texts.map((text) => {
    const [name = '', ...value] = text.split('=')
    return [name, value.length === 0 ? undefined : value.join('=')] as const
  })
  const problem = validateTags(tags)
  if (problem === undefined) return tags.map(([name, value = '']) => [name, value])
  throw new HelperError(
    'usage',
    `tag: ${problem}`,
    `write each as 'NAME=VALUE', at most ${limits.tags}, with a name of at most ${limits.tagNameLength} and a value of at most ${limits.tagValueLength} characters`,
  )
}

function validateTags(tags: readonly (readonly [name: string, value: string | undefined])[]): string | undefined {
  if (tags.length > limits.tags) return `${tags.length} are given`
  if (tags.some(([name, value]) => name === '' || value === undefined)) return 'one has no name or no "="'
  if (tags.some(([name, value = '']) => name.length > limits.tagNameLength || value.length > limits.tagValueLength))
    return 'one is too long'
  return new Set(tags.map(([name]) => name)).size < tags.length ? 'two have the same name' : undefined
}
