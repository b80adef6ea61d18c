import type { Plan } from '../../helper/define-helper.ts'
import type { CommonOptions } from '../../helper/options/table.ts'
import type { Host } from '../../runtime/host.ts'
import { findAws } from '../identity/find-aws.ts'
import { findAzure } from '../identity/find-azure.ts'
import { findCommand } from '../identity/find-command.ts'
import { findFile, findKubernetes } from '../identity/find-file.ts'
import { findGithubActions } from '../identity/find-github-actions.ts'
import { findGoogle } from '../identity/find-google.ts'
import { findUrl } from '../identity/find-url.ts'
import { findVariable } from '../identity/find-variable.ts'
import type { FindIdentity, IdentitySource, SourceCall, WorkloadOptions } from '../identity/identity-source.ts'
import type { IdentityKind } from '../identity/options.ts'
import { describeTarget, type ExchangeTarget, resolveTarget } from './target.ts'

/** Which identity is exchanged, and for what. */
export interface WorkloadPlan extends Plan {
  readonly source: IdentitySource
  readonly target: ExchangeTarget
  /** Whether an identity token with a `jti` may be exchanged more than once. */
  readonly reuse: WorkloadOptions['identity-reuse']
}

/** One finder for each kind; no kind falls back to another. */
const finders: Readonly<Record<IdentityKind, FindIdentity>> = {
  file: findFile,
  variable: findVariable,
  command: findCommand,
  url: findUrl,
  'github-actions': findGithubActions,
  kubernetes: findKubernetes,
  google: findGoogle,
  azure: findAzure,
  aws: findAws,
}

/**
 * Finds where the identity token comes from and what it is exchanged for.
 * @throws {HelperError} for an address to which nothing secret may go, or the source's own message.
 */
export async function planWorkload(
  host: Host,
  options: WorkloadOptions & CommonOptions,
  call: SourceCall,
): Promise<WorkloadPlan> {
  const { identity } = options
  const target = resolveTarget(options)
  const source = await finders[identity](host, options, call)
  return {
    source,
    target,
    reuse: options['identity-reuse'],
    inputs: { kind: identity, source: source.inputs, identity: source.identity ?? null },
    steps: [source.step, describeTarget(target)],
    isSignedOut: source.aws?.isSignedOut,
    sourceKind: identity === 'aws' ? source.aws?.sourceKind : identity,
  }
}
