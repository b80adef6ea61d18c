import type { NetworkCall, Plan } from '../../helper/define-helper.ts'
import type { PreparedExchange } from '../../helper/diagnosis.ts'
import type { CommonOptions } from '../../helper/options/every-helper-options.ts'
import type { GivenOptions } from '../../helper/options/option-table.ts'
import { type Problem, validateReading } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import {
  type IdentitySource,
  type PrepareIdentity,
  parseAddress,
  type SourceCall,
  type WorkloadOptions,
} from '../identity/identity-source.ts'
import { prepareAws } from '../identity/prepare-aws.ts'
import { prepareAzure, prepareGoogle } from '../identity/prepare-cloud.ts'
import { prepareCommand } from '../identity/prepare-command.ts'
import { prepareFile, prepareKubernetes, prepareVariable } from '../identity/prepare-stored.ts'
import { prepareGithubActions, prepareUrl } from '../identity/prepare-url.ts'
import type { IdentityKind, workloadOptions } from '../identity/workload-options.ts'
import { parseProgram } from '../program/program.ts'
import { findNamedIdentity } from '../program/program-identity.ts'
import { validateWatch } from '../program/program-options.ts'
import { describeTarget, type ExchangeTarget, toTarget, validateTarget } from './exchange-target.ts'

/** The identity that is exchanged, and the target. */
export interface WorkloadPlan extends Plan {
  readonly source: IdentitySource
  readonly supply: PreparedExchange['supply']
  readonly target: ExchangeTarget
  /** Whether an identity token with a `jti` may be exchanged more than once. */
  readonly reuse: WorkloadOptions['identity-reuse']
}

/** Finds problems that the options have on every machine of this system. The options of other sources are ignored. */
export async function validateWorkload(
  options: GivenOptions<typeof workloadOptions> & CommonOptions,
  { platform }: Pick<Host, 'platform'>,
): Promise<Problem[]> {
  const { identity, 'identity-url': url, 'identity-command': command, path } = options
  return [
    ...validateTarget(options),
    ...(identity === 'url' && url !== undefined
      ? validateReading(() => parseAddress(url, 'identity-url', 'any-host'))
      : []),
    ...(identity === 'command'
      ? validateReading(() => parseProgram(command, { home: '/', platform }, { option: 'identity-command', path }))
      : []),
    ...(identity === 'aws'
      ? (await import('../aws/credentials/plan-credentials.ts')).validateAwsOptions(options, platform)
      : validateWatch(options, platform)),
  ]
}

/**
 * Plans the source of the identity token and the target of its exchange.
 * @throws {HelperError} for an address to which no secret may be sent, or the source's own failure.
 */
export async function planWorkload(
  host: Host,
  options: WorkloadOptions & CommonOptions,
  call: SourceCall,
): Promise<WorkloadPlan> {
  const { identity } = options
  const target = toTarget(options)
  const { prepare, supply } = identities[identity]
  const source = await prepare(host, options, call)
  const program = source.dependence ?? source.aws?.dependence
  const named = program ? undefined : await findNamedIdentity(host, options)
  return {
    source,
    supply,
    target,
    reuse: options['identity-reuse'],
    inputs: { kind: identity, source: source.inputs, identity: source.identity ?? null, named: named?.inputs },
    steps: [`${source.token}${source.detail ?? ''}`, describeTarget(target)],
    isSignedOut: source.aws?.isSignedOut,
    dependence: program ?? named,
    sourceKind: identity === 'aws' ? source.aws?.sourceKind : identity,
  }
}

/**
 * Gets the identity token that a workload would exchange, for a diagnosis, without sending it. @throws {HelperError} the source's failure.
 */
export async function prepareExchange(
  { audience }: Pick<WorkloadOptions, 'audience'>,
  call: NetworkCall,
  { source, supply, target, reuse }: WorkloadPlan,
): Promise<PreparedExchange> {
  const { host: _, ...settings } = target
  return { ...settings, audience, supply, reuse, assertion: await source.obtain(call) }
}

/** A row for each kind of source. No kind falls back to another. */
const identities: Readonly<Record<IdentityKind, IdentityRow>> = {
  file: { prepare: prepareFile, supply: 'stored' },
  variable: { prepare: prepareVariable, supply: 'stored' },
  command: { prepare: prepareCommand, supply: 'created' },
  url: { prepare: prepareUrl, supply: 'created' },
  'github-actions': { prepare: prepareGithubActions, supply: 'created' },
  kubernetes: { prepare: prepareKubernetes, supply: 'stored' },
  google: { prepare: prepareGoogle, supply: 'created' },
  azure: { prepare: prepareAzure, supply: 'created' },
  aws: { prepare: prepareAws, supply: 'created' },
}

/** A kind of identity source. */
interface IdentityRow {
  readonly prepare: PrepareIdentity
  /** Whether the source creates a token for each run, or gives out a stored one, which another program renews. */
  readonly supply: PreparedExchange['supply']
}
