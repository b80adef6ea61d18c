import type { FamilyName, ProviderFamily } from './family.ts'
import { hostedFamilies } from './hosted-families.ts'
import { installedFamilies } from './installed-families.ts'

const entra = {
  title: 'Microsoft Entra ID',
  // "Redirect URI (reply URL) restrictions and limitations" (Microsoft Learn): the port of http://localhost is ignored, the path
  // is compared with upper and lower case, http://127.0.0.1 can be registered in the manifest only, [::1] cannot.
  loopback: { host: 'localhost', port: 'any', path: 'registered' },
  redirectSetting: 'in its app registration, under Authentication, on the platform "Mobile and desktop applications"',
  publicSetting: 'in its app registration, under Authentication, set "Allow public client flows" to Yes',
  offlineAccess: 'scope',
  // AADSTS901002: the parameter `resource` is not supported by the endpoints of version 2.0.
  resource: 'refused',
  audience: 'a scope of the API, such as api://…/access',
  gatewayToken: {
    type: 'either',
    why: 'the access token for a scope of an API of your own, as its audience is the gateway; the ID token is for the client itself',
  },
  browserErrors:
    'a code such as AADSTS53003 (Conditional Access), AADSTS50011 (redirect URI), AADSTS700016 (client ID or tenant) or AADSTS90094 (consent of an administrator)',
  deviceGrant: true,
} as const satisfies Omit<ProviderFamily, 'name'>

/** Nothing is known, so everything is taken to be compared. OpenID Connect Core, section 3.1.2.1: simple string comparison. */
const unknown = {
  title: 'the provider',
  loopback: { host: 'either', port: 'any', path: 'registered' },
  redirectSetting: 'in the registration of the client',
  publicSetting: 'in its registration, make it a public client (a native application with PKCE)',
  offlineAccess: 'scope',
  resource: 'unknown',
  gatewayToken: { type: 'either', why: 'the one whose audience and signature the gateway can check' },
  deviceGrant: true,
} as const satisfies Omit<ProviderFamily, 'name'>

/**
 * What is known of each family. Facts are those of the providers' published documentation; where it is silent, the stricter
 * rule stands here, because a sign-in that keeps it works in either case. docs/providers.md says what nobody has tried.
 */
export const providerFamilies: Readonly<Record<FamilyName, ProviderFamily>> = {
  entra: { name: 'entra', ...entra },
  // Azure AD B2C and Entra External ID have the same registrations; both need a scope of the API for an access token.
  'entra-external': { name: 'entra-external', ...entra, title: 'Microsoft Entra External ID', deviceGrant: false },
  ...hostedFamilies,
  ...installedFamilies,
  other: { name: 'other', ...unknown },
}
