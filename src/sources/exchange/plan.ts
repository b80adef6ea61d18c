import { requireSecureUrl } from '../../api/request/secure-url.ts'
import { apiPaths } from '../../contract/http-api.ts'
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
import type { FindIdentity, IdentitySource, SourceCall, WorkloadOptions } from '../identity/identity-source.ts'
import type { IdentityKind } from '../identity/options.ts'

/** Which identity is exchanged, and for what. */
export interface WorkloadPlan extends Plan {
  readonly source: IdentitySource
  readonly target: ExchangeTarget
  /** Whether an identity token with a `jti` may be exchanged more than once. */
  readonly reuse: WorkloadOptions['identity-reuse']
}

/** Where an identity token is exchanged, and for which access token. */
export interface ExchangeTarget {
  readonly baseUrl: string
  /** Host and port of the platform, for messages. */
  readonly host: string
  readonly organizationId: string
  readonly federationRuleId: string
  readonly serviceAccountId: string | undefined
  readonly workspaceId: string | undefined
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
  refuseWorkspaceHeader(options)
  const { identity } = options
  const target = readTarget(options)
  const source = await finders[identity](host, options, call)
  return {
    source,
    target,
    reuse: options['identity-reuse'],
    inputs: { kind: identity, source: source.inputs, identity: source.identity ?? null },
    steps: [source.step, `exchanged at ${target.host} under the federation rule ${target.federationRuleId}`],
  }
}

function readTarget(options: WorkloadOptions): ExchangeTarget {
  const { 'base-url': baseUrl } = options
  return {
    baseUrl,
    host: requireSecureUrl(baseUrl, apiPaths.tokenExchange).host,
    organizationId: options.organization,
    federationRuleId: options['federation-rule'],
    serviceAccountId: options['service-account'],
    workspaceId: options.workspace,
  }
}

/** The exchange binds the token to one workspace, and the platform refuses a header that names another. */
function refuseWorkspaceHeader({ header }: CommonOptions): void {
  if (!header.some((text) => text.toLowerCase().startsWith(vendor.workspaceHeader))) return
  throw new HelperError(
    'usage',
    `header: "${vendor.workspaceHeader}" is not for this token, whose workspace is chosen when it is exchanged`,
    'set the option workspace instead',
  )
}
