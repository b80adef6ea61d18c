import { detectProviderFamily } from '../../../contract/identity-providers/detect-family.ts'
import { toOneLine } from '../../../runtime/failure.ts'

/** Entra ID gives every tenant and every registration an ID of this form (Microsoft Learn, "Find your tenant ID"). */
const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * The problem with the tenant in an issuer of Entra ID. A verified domain leads to the metadata of its tenant, but these and every token
 * name the tenant by its ID, and the helper refuses another issuer than the one that it is given.
 */
export function findTenantProblem(issuer: string): string | undefined {
  const { hostname, pathname } = new URL(issuer)
  const [tenant = ''] = pathname.split('/').filter((part) => part !== '')
  if (detectProviderFamily({ issuer }).name !== 'entra' || guid.test(tenant)) return undefined
  const shown = toOneLine(decodeURIComponent(tenant))
  if (/^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(shown))
    return `${shown} is a domain of the tenant, and every token names the tenant by its ID; open https://${hostname}/${shown}/v2.0/.well-known/openid-configuration and pass what stands there behind "issuer"`
  return `${JSON.stringify(shown)} is not the ID of a tenant; pass https://${hostname}/TENANT-ID/v2.0 with the tenant ID, which the overview of Entra ID shows`
}

/** The problem with the client ID of a registration with Entra ID. */
export function findClientIdProblem(clientId: string, issuer: string | undefined): string | undefined {
  const isEntra = /^entra/.test(detectProviderFamily({ issuer }).name)
  if (!isEntra || guid.test(clientId)) return undefined
  return 'it is not the ID of a registration; pass the application (client) ID, which the overview of the app registration shows, such as 11111111-2222-3333-4444-555555555555'
}
