// The problems of answers that only people with Entra ID can have.

import { detectProviderFamily } from '../../../contract/identity-providers/detect-family.ts'
import { toOneLine } from '../../../runtime/failure.ts'
import type { AnswerName, SetupAnswers } from '../answers.ts'
import { isNone } from '../setup-question.ts'

/** Entra ID gives every tenant and every registration an ID of this form (Microsoft Learn, "Find your tenant ID"). */
const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * The problem with the tenant in an issuer of Entra ID. A verified domain leads to the metadata of its tenant, but these and every token
 * name the tenant by its ID, and the helper refuses another issuer than the one that it is given.
 */
export function validateEntraTenant(issuer: string): string | undefined {
  const { hostname, pathname } = new URL(issuer)
  const [tenant = ''] = pathname.split('/').filter((part) => part !== '')
  if (detectProviderFamily({ issuer }).name !== 'entra' || guid.test(tenant)) return undefined
  const shown = toOneLine(decodeURIComponent(tenant))
  if (/^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(shown))
    return `${shown} is a domain of the tenant, and every token names the tenant by its ID; open https://${hostname}/${shown}/v2.0/.well-known/openid-configuration and pass what stands there behind "issuer"`
  return `${JSON.stringify(shown)} is not the ID of a tenant; pass https://${hostname}/TENANT-ID/v2.0 with the tenant ID, which the overview of Entra ID shows`
}

/** Whether an issuer is a tenant of Entra ID, of either kind. */
export function isEntra(issuer: string | undefined): boolean {
  return /^entra/.test(detectProviderFamily({ issuer }).name)
}

/**
 * The problem with the audience of an access token of version 2.0, whose issuer ends with the version: "In v2.0 tokens, this value is
 * always the client ID of the API" (Microsoft Learn, "Access token claims reference", aud).
 */
export function validateEntraAudience(
  audience: string,
  { issuer = '', scopes }: Pick<SetupAnswers, AnswerName>,
): string | undefined {
  if (!isEntra(issuer) || !/\/v2\.0\/?$/.test(issuer) || isNone(scopes) || guid.test(audience)) return undefined
  return 'tokens of version 2.0 name the API by the application (client) ID of its own registration, and never by its api:// URI; pass that ID, such as 22222222-3333-4444-5555-666666666666, or later'
}

/** The groups claim holds object IDs, except for groups that are synchronized (Microsoft Learn, "Configure group claims"). */
export function describeGroupNames(
  allow: string,
  issuer: string | undefined,
): { readonly message: string; readonly hint: string } | undefined {
  const group = /^groups=(.+)$/.exec(allow)?.[1]
  if (group === undefined || !isEntra(issuer) || guid.test(group)) return undefined
  return {
    message: toOneLine(
      `--allow groups=${group}: Entra ID writes the object IDs of cloud groups into tokens, and not their names`,
    ),
    hint: 'pass --allow groups=OBJECT-ID, or better a role of the application: --allow roles=llm-users',
  }
}

/** The problem with the client ID of a registration with Entra ID. */
export function validateEntraClientId(clientId: string, issuer: string | undefined): string | undefined {
  if (!isEntra(issuer) || guid.test(clientId)) return undefined
  return 'it is not the ID of a registration; pass the application (client) ID, which the overview of the app registration shows, such as 11111111-2222-3333-4444-555555555555'
}
