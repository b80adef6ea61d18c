import { demandSecureUrl } from '../../api/request/secure-url.ts'
import type { Plan } from '../../helper/define-helper.ts'
import type { CommonOptions } from '../../helper/options/table.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { vendor } from '../../vendor.ts'
import { findAws } from '../identity/find-aws.ts'
import { findAzure } from '../identity/find-azure.ts'
import { findCommand } from '../identity/find-command.ts'
import { findFile, findKubernetes } from '../identity/find-file.ts'
import { findGithubActions } from '../identity/find-github-actions.ts'
import { findGoogle } from '../identity/find-google.ts'
import { findUrl } from '../identity/find-url.ts'
import { findVariable } from '../identity/find-variable.ts'
import type { FindIdentity, IdentitySource, WorkloadOptions } from '../identity/identity-source.ts'
import type { IdentityKind } from '../identity/options.ts'

/** Whose identity is exchanged, for what. */
export interface WorkloadPlan extends Plan {
  readonly source: IdentitySource
  readonly target: ExchangeTarget
  readonly reuse: WorkloadOptions['identity-reuse']
}

/** What an identity token is exchanged for, and where. */
export interface ExchangeTarget {
  readonly baseUrl: string
  /** For messages. */
  readonly who: string
  readonly organizationId: string
  readonly federationRuleId: string
  readonly serviceAccountId: string | undefined
  readonly workspaceId: string | undefined
}

/** Each asks for what it is told to and nothing else. */
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
 * @throws {HelperError} `not-configured` with everything that is not set, or the source's own message.
 */
export async function planWorkload(host: Host, options: WorkloadOptions & CommonOptions): Promise<WorkloadPlan> {
  refuseWorkspaceHeader(options)
  const { identity, ...target } = demandTarget(options)
  const source = await finders[identity](host, options)
  return {
    source,
    target,
    reuse: options['identity-reuse'],
    inputs: { identity, source: source.inputs, whose: source.identity ?? null },
    steps: [source.step, `exchanged at ${target.who} under the federation rule ${target.federationRuleId}`],
  }
}

function demandTarget(options: WorkloadOptions): ExchangeTarget & { readonly identity: IdentityKind } {
  const { 'base-url': baseUrl, organization, 'federation-rule': rule, identity } = options
  if (baseUrl === undefined || organization === undefined || rule === undefined || identity === undefined) {
    const required = ['base-url', 'organization', 'federation-rule', 'identity'] as const
    const missing = required.filter((name) => options[name] === undefined)
    throw new HelperError(
      'not-configured',
      `${missing.join(', ')} must be set`,
      `set ${missing.length > 1 ? 'them' : 'it'} by argument, variable or file; see: workload-token --help`,
    )
  }
  return {
    ...{ baseUrl, identity },
    who: demandSecureUrl(baseUrl, '/v1/oauth/token').host,
    organizationId: organization,
    federationRuleId: rule,
    serviceAccountId: options['service-account'],
    workspaceId: options.workspace,
  }
}

/** The token is for one workspace from its exchange on, and the platform refuses a header that names another. */
function refuseWorkspaceHeader({ header }: CommonOptions): void {
  if (!header.some((text) => text.toLowerCase().startsWith(vendor.workspaceHeader))) return
  throw new HelperError(
    'usage',
    `header: "${vendor.workspaceHeader}" is not for this token, whose workspace is chosen when it is exchanged`,
    'set workspace in its place',
  )
}
