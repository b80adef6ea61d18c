// Folder: the part of `--explain` and `gatepass doctor` about an AWS identity.

import type { NetworkCall } from '../../../helper/define-helper.ts'
import type {
  AlgorithmOption,
  DiagnosedRun,
  Diagnosis,
  DiagnosisLine,
  Permission,
  PreparedExchange,
} from '../../../helper/diagnosis.ts'
import type { CommonOptions } from '../../../helper/options/every-helper-options.ts'
import type { Options } from '../../../helper/options/option-table.ts'
import { attemptUnlessFailed, clockHint, HelperError, toHelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import { createStreamFetch } from '../../../runtime/network/stream-fetch.ts'
import { describeSkew, toClockOffset } from '../../clock-offset.ts'
import type { awsOptions } from '../credentials/aws-options.ts'
import type { AwsContext, AwsPlan } from '../credentials/credential-source.ts'
import { askCaller } from '../credentials/credentials.ts'
import { planAwsCredentials } from '../credentials/plan-credentials.ts'
import type { AwsService } from '../endpoint-settings.ts'
import { readAwsFiles } from '../files/aws-files.ts'
import { withProfileAuthority } from '../request/signing-keys.ts'
import { resolveEndpoint } from '../resolve-endpoint.ts'
import { compareChains, type OtherWay, toOtherPlan } from './compare-chains.ts'
import { type ExaminedChain, examineChain } from './examine-chain.ts'
import { describeProfileSettings, listChain } from './explain-plan.ts'
import { describeSessions } from './sign-in-state.ts'

/** The options of an AWS identity. */
export type ChainOptions = Pick<Options<typeof awsOptions>, 'profile' | 'region' | 'path' | 'watch' | 'watch-variable'>

/** Diagnoses a run of a helper that uses an AWS identity. */
export async function diagnoseRun<O extends ChainOptions, P>(
  parts: DiagnosisParts<O, P>,
  host: Host,
  options: O & CommonOptions,
  call: NetworkCall,
  { plan, outcome }: DiagnosedRun<P>,
): Promise<Diagnosis> {
  const { isAws = () => true, toAwsPlan } = parts
  const aws = plan && toAwsPlan(plan)
  const identity = isAws(options) ? await diagnoseAws(host, options, call, aws) : undefined
  return {
    ...(identity && { identity }),
    ...(plan && aws && { permissions: [...listRolePermissions(aws.source), ...parts.permissions(options, plan)] }),
    ...(parts.algorithm && { algorithm: parts.algorithm }),
    // The steps of the identity report why an exchange cannot be prepared.
    ...(plan &&
      outcome === 'failed' && {
        exchange: await attemptUnlessFailed(async () => parts.exchange?.(options, call, plan)),
      }),
  }
}

/** The facts that an AWS helper declares for `gatepass doctor`. */
export interface DiagnosisParts<O, P> {
  /** Whether these options lead to an AWS identity; absent if every choice does. */
  isAws?(options: O): boolean
  /** The identity in a plan of the helper; `undefined` if it uses another kind. */
  toAwsPlan(plan: P): AwsPlan | undefined
  /** The permissions that the identity needs besides assuming the roles of its profile. */
  permissions(options: O, plan: P): readonly Permission[]
  readonly algorithm?: AlgorithmOption
  /** Prepares the exchange of a run that has failed; `undefined` if these options ask for none. */
  exchange?(options: O & CommonOptions, call: NetworkCall, plan: P): Promise<PreparedExchange | undefined>
}

/**
 * Fetches the credentials of a chain again, and reports the result of each step, where its settings are, how long its sessions last, who
 * the caller is, how much the clocks differ, and whether the AWS SDK finds the same identity.
 */
async function diagnoseAws(
  host: Host,
  options: ChainOptions,
  call: NetworkCall,
  plan: AwsPlan | undefined,
): Promise<readonly DiagnosisLine[]> {
  const { profile, path } = options
  const world = { host, path, profile, call: { ...call, warn: () => {} } }
  if (!plan) return [...(await describeUnplanned(host, profile ?? 'default')), ...(await askSdk(world, options))]
  const context = { ...world, plan }
  const sessions = await describeSessions(plan, host)
  const chain = await examineChain(context)
  const caller = await examineCaller(chain, context)
  const other = toOtherPlan(plan, profile)
  // A wrong clock comes first, because it makes other steps fail.
  return [
    ...(await describeClocks({ ...chain, callerOffsetMs: caller.clockOffsetMs }, context)),
    ...chain.steps,
    { status: 'good', text: `region ${plan.region}` },
    ...sessions,
    ...caller.observations,
    ...(other ? await compareChains({ outcome: chain.outcome, arn: caller.arn }, { ...world, plan: other }) : []),
  ]
}

function listRolePermissions(source: AwsPlan['source']): Permission[] {
  if (source.kind === 'sdk' && source.own) return listRolePermissions(source.own)
  if (source.kind !== 'role') return []
  return [{ action: 'sts:AssumeRole', resource: source.roleArn }, ...listRolePermissions(source.from)]
}

/** Reports only where the settings are, because the run has reported why they cannot be used. */
async function describeUnplanned(host: Host, profile: string): Promise<DiagnosisLine[]> {
  try {
    const details = describeProfileSettings(profile, await readAwsFiles(host))
    return details.length === 0
      ? []
      : [{ status: 'bad', text: `profile "${profile}" cannot be used as it is`, details }]
  } catch (error) {
    if (error instanceof HelperError) return []
    throw error
  }
}

/** The caller, and the offset of AWS's clock if AWS was asked. */
interface DescribedCaller {
  readonly observations: readonly DiagnosisLine[]
  readonly clockOffsetMs?: number
  /** The ARN of the caller. */
  readonly arn?: string
}

/** Reports what the AWS SDK finds for a configuration that our own chain cannot use; empty if even the SDK's files cannot be read. */
async function askSdk(world: Omit<OtherWay, 'plan'>, options: ChainOptions): Promise<DiagnosisLine[]> {
  const own = await planAwsCredentials(world.host, { ...options, 'aws-chain': 'own' }).catch(toHelperError)
  const plan = await planAwsCredentials(world.host, { ...options, 'aws-chain': 'sdk' }).catch(toHelperError)
  if (plan instanceof HelperError || !(own instanceof HelperError)) return []
  return compareChains({ outcome: own, arn: undefined }, { ...world, plan })
}

/**
 * Examines whose credentials a chain returned. If no step has stated it, AWS STS is asked, which also shows whether AWS accepts the keys.
 */
async function examineCaller({ credentials }: ExaminedChain, context: AwsContext): Promise<DescribedCaller> {
  if (!credentials) return { observations: [] }
  if (credentials.arn) return { observations: [toCaller(credentials.arn)], arn: credentials.arn }
  try {
    const { arn, clockOffsetMs } = await askCaller(credentials, context)
    return { observations: [toCaller(arn)], clockOffsetMs, arn }
  } catch (error) {
    if (!(error instanceof HelperError)) throw error
    const { kind, message, hint } = error
    const isAnswered = kind !== 'unavailable' && kind !== 'late'
    return { observations: [{ status: isAnswered ? 'bad' : 'unknown', text: `caller: ${message}`, hint }] }
  }
}

function toCaller(arn: string): DiagnosisLine {
  return { status: 'good', text: `caller: ${arn}` }
}

/** The result of the chain, and the clock's offset from the request for the caller. */
interface Walked extends ExaminedChain {
  readonly callerOffsetMs: number | undefined
}

/**
 * Compares this machine's clock with the clocks of AWS STS and AWS SSO, from their earlier answers or from the answer to an empty request.
 */
async function describeClocks(walked: Walked, given: AwsContext): Promise<DiagnosisLine[]> {
  const context = withProfileAuthority(given)
  const { plan } = context
  const sso = listChain(plan.source).find((source) => source.kind === 'sso')
  const known = walked.callerOffsetMs ?? findStsOffset(walked)
  const dating = walked.credentials?.clockOffsetMs === undefined ? 'here' : 'AWS'
  return [
    describeClock('AWS STS', known ?? (await fetchOffset('sts', plan.region, context)), dating),
    ...(sso === undefined
      ? []
      : [
          describeClock(
            'AWS SSO',
            walked.results.get(sso)?.clockOffsetMs ?? (await fetchOffset('sso', sso.region, context)),
            dating,
          ),
        ]),
  ]
}

function findStsOffset({ results }: Walked): number | undefined {
  return [...results].find(([{ kind }]) => kind === 'role' || kind === 'web-identity')?.[1].clockOffsetMs
}

/**
 * Describes the offset of one clock.
 * @param dating The clock that dates tokens. A difference does no harm if AWS has told the time, because tokens are then dated by AWS's
 * clock.
 */
function describeClock(service: string, offsetMs: number | undefined, dating: 'AWS' | 'here'): DiagnosisLine {
  if (offsetMs === undefined) return { status: 'unknown', text: `clock: the time of ${service} is not known` }
  const skew = describeSkew(offsetMs, `that of ${service}`)
  if (skew === undefined) return { status: 'good', text: `clock: this machine's agrees with that of ${service}` }
  // The five minutes: AWS documentation, "Troubleshoot Signature Version 4 signing for AWS API requests".
  const effect =
    dating === 'AWS' ? "; tokens are dated by AWS's" : '; AWS refuses what is signed more than five minutes off'
  return {
    status: dating === 'AWS' ? 'note' : 'bad',
    text: `clock: ${skew}${effect}`,
    hint: clockHint,
  }
}

/** Fetches the offset of a service's clock (see `toClockOffset`) with a request that carries nothing; `undefined` without an answer. */
async function fetchOffset(
  service: AwsService,
  region: string,
  { host, call, plan }: AwsContext,
): Promise<number | undefined> {
  try {
    const { url } = resolveEndpoint({ service, region }, plan.endpoints)
    const sentAt = host.clock.now()
    const { headers, body } = await call.deadline.during('network', `the time of ${url.host}`, ({ signal }) =>
      createStreamFetch({ network: call.network })(url.href, { method: 'HEAD', signal }),
    )
    await body?.cancel()
    if (!headers.has('date')) return undefined
    return toClockOffset(headers, { sentAt, receivedAt: host.clock.now() })
  } catch (error) {
    if (error instanceof HelperError) return undefined
    throw error
  }
}
