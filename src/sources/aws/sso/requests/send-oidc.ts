import type { EndpointSettings } from '../../endpoints/endpoint-settings.ts'
import { resolveEndpoint } from '../../endpoints/resolve-endpoint.ts'
import { parseOidcAnswer } from './oidc-answer.ts'
import { describeService, type SsoRequestParts, sendSso } from './send-sso.ts'

/** What a request to the OIDC service of IAM Identity Center needs. */
export interface OidcParts extends SsoRequestParts {
  readonly endpoints: EndpointSettings
}

/** The operations of the service, by their paths. Botocore's model of `sso-oidc`, 2019-06-10. */
const paths = {
  RegisterClient: 'client/register',
  StartDeviceAuthorization: 'device_authorization',
  CreateToken: 'token',
} as const

/**
 * Sends one operation.
 * @throws {OidcRefusal} for a refusal; `HelperError` where nothing of AWS answered in time.
 */
export async function sendOidc(
  operation: keyof typeof paths,
  members: Readonly<Record<string, unknown>>,
  parts: OidcParts,
): Promise<Record<string, unknown>> {
  const headers = { 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(members) }
  const answer = await sendSso(locateOidc(paths[operation], parts), init, parts)
  return parseOidcAnswer(answer, describeService(parts.region))
}

/** The address of a path of the service, below that of a configured endpoint. */
export function locateOidc(path: string, { endpoints, region }: Pick<OidcParts, 'endpoints' | 'region'>): URL {
  const { url } = resolveEndpoint({ service: 'sso-oidc', region }, endpoints)
  return new URL(`${url.pathname.replace(/\/$/, '')}/${path}`, url)
}
