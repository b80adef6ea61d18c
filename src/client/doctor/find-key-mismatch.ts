import type { KeyGateway } from '../../contract/aws/keys.ts'
import type { AwsKeyFacts } from '../../runtime/tokens/aws-key-facts.ts'
import { vendor } from '../../vendor.ts'

/** Finds a reason for which an AWS gateway certainly refuses a key: another service, another region, or no workspace. */
export function findKeyMismatch(
  { service, region }: AwsKeyFacts,
  gateway: KeyGateway,
  headerNames: readonly string[],
): { readonly cause: string; readonly hint: string } | undefined {
  if (service.name !== gateway.service.name)
    return {
      cause: `the key is for ${service.name}, and this gateway belongs to ${gateway.service.name}`,
      hint: `have the helper make keys for it: --service ${gateway.service.name}`,
    }
  if (region !== gateway.region)
    return {
      cause: `the key is signed for ${region}, and this gateway is in ${gateway.region}`,
      hint: `set the helper's region: --region ${gateway.region}`,
    }
  const isMissing = !headerNames.some((name) => name.toLowerCase() === vendor.workspaceHeader)
  if (service.workspace === 'required' && isMissing)
    return {
      cause: `the header ${vendor.workspaceHeader} is missing, which ${service.name} needs with every request`,
      hint: 'name the workspace to the helper: --workspace',
    }
  return undefined
}
