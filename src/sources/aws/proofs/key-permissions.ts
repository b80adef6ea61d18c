import type { Permission } from '../../../helper/diagnosis.ts'
import type { Options } from '../../../helper/options/table.ts'
import type { keyOptions } from './key-options.ts'

/** What an identity must be allowed for a short-term key, and for inference in the workspace that the key is used in. */
export function listKeyPermissions({ service, workspace }: Options<typeof keyOptions>): Permission[] {
  const bearer = { action: `${service}:CallWithBearerToken`, resource: '*' }
  if (workspace === undefined) return [bearer]
  return [bearer, { action: `${service}:CreateInference`, resource: `arn:*:${service}:*:*:workspace/${workspace}` }]
}
