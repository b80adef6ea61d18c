import { requireSecureUrl } from '../../api/secure-url.ts'
import { apiPaths } from '../../contract/http-api.ts'
import type { CommonOptions } from '../../helper/options/every-helper-options.ts'
import { HelperError, type Problem, validateReading } from '../../runtime/failure.ts'
import { vendor } from '../../vendor.ts'
import type { WorkloadOptions } from '../identity/identity-source.ts'

/** The endpoint that exchanges an identity token, and the access token to request. */
export interface ExchangeTarget {
  readonly baseUrl: string
  /** The platform's host and port, for messages. */
  readonly host: string
  readonly organizationId: string
  readonly federationRuleId: string
  readonly serviceAccountId: string | undefined
  readonly workspaceId: string | undefined
}

/**
 * Derives the target from the options.
 * @throws {HelperError} for an address to which no secret may be sent, and for a header that contradicts the exchange.
 */
export function toTarget(options: TargetOptions & Pick<CommonOptions, 'header'>): ExchangeTarget {
  refuseWorkspaceHeader(options)
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

type TargetOptions = Pick<
  WorkloadOptions,
  'base-url' | 'organization' | 'federation-rule' | 'service-account' | 'workspace'
>

/** Finds problems that the options of a target have on every machine. */
export function validateTarget(
  options: { readonly 'base-url'?: string | undefined } & Pick<CommonOptions, 'header'>,
): Problem[] {
  const { 'base-url': baseUrl } = options
  return [
    ...validateReading(() => refuseWorkspaceHeader(options)),
    ...(baseUrl === undefined ? [] : validateReading(() => requireSecureUrl(baseUrl, apiPaths.tokenExchange))),
  ]
}

export function describeTarget({ host, federationRuleId }: ExchangeTarget): string {
  return `exchanged at ${host} under the federation rule ${federationRuleId}`
}

/** Refuses a header with a workspace. The exchange binds the token to one workspace, and the platform refuses a header with another. */
function refuseWorkspaceHeader({ header }: Pick<CommonOptions, 'header'>): void {
  if (!header.some((text) => text.toLowerCase().startsWith(vendor.workspaceHeader))) return
  throw new HelperError(
    'usage',
    `header: "${vendor.workspaceHeader}" is not for this token, whose workspace is chosen when it is exchanged`,
    'set the option workspace instead',
  )
}
