import type { Plan } from '../../helper/define-helper.ts'
import type { AttemptedExchange } from '../../helper/diagnosis.ts'
import type { CommonOptions } from '../../helper/options/every-helper-options.ts'
import type { GivenOptions } from '../../helper/options/option-table.ts'
import { findProblems, type Problem } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { findAzure } from '../identity/find-azure.ts'
import { findCommand, findVariable } from '../identity/find-command.ts'
import { findFile, findKubernetes } from '../identity/find-file.ts'
import { findGithubActions, findGoogle } from '../identity/find-google.ts'
import { findUrl } from '../identity/find-url.ts'
import {
  type FindIdentity,
  findAws,
  type IdentitySource,
  parseAddress,
  type SourceCall,
  type WorkloadOptions,
} from '../identity/identity-source.ts'
import type { IdentityKind, workloadOptions } from '../identity/workload-options.ts'
import { parseProgram } from '../program/program.ts'
import { findNamedIdentity } from '../program/program-identity.ts'
import { validateWatch } from '../program/program-options.ts'
import { describeTarget, type ExchangeTarget, toTarget, validateTarget } from './exchange-target.ts'

/** The identity that is exchanged, and the target. */
export interface WorkloadPlan extends Plan {
  readonly source: IdentitySource
  readonly supply: AttemptedExchange['supply']
  readonly target: ExchangeTarget
  /** Whether an identity token with a `jti` may be exchanged more than once. */
  readonly reuse: WorkloadOptions['identity-reuse']
}

/** See `validate` of a helper's declaration. The options of other sources are ignored. */
export async function validateWorkload(
  options: GivenOptions<typeof workloadOptions> & CommonOptions,
  { platform }: Pick<Host, 'platform'>,
): Promise<Problem[]> {
  const { identity, 'identity-url': url, 'identity-command': command, path } = options
  return [
    ...validateTarget(options),
    ...(identity === 'url' && url !== undefined
      ? findProblems(() => parseAddress(url, 'identity-url', 'any-host'))
      : []),
    ...(identity === 'command'
      ? findProblems(() => parseProgram(command, { home: '/', platform }, { option: 'identity-command', path }))
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
  const { find, supply } = identities[identity]
  const source = await find(host, options, call)
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

/** A row for each kind of source. No kind falls back to another. */
const identities: Readonly<Record<IdentityKind, IdentityRow>> = {
  file: { find: findFile, supply: 'stored' },
  variable: { find: findVariable, supply: 'stored' },
  command: { find: findCommand, supply: 'created' },
  url: { find: findUrl, supply: 'created' },
  'github-actions': { find: findGithubActions, supply: 'created' },
  kubernetes: { find: findKubernetes, supply: 'stored' },
  google: { find: findGoogle, supply: 'created' },
  azure: { find: findAzure, supply: 'created' },
  aws: { find: findAws, supply: 'created' },
}

/** A kind of identity source. */
interface IdentityRow {
  readonly find: FindIdentity
  /** Whether the source creates a token for each run, or gives out a stored one, which another program renews. */
  readonly supply: AttemptedExchange['supply']
}
