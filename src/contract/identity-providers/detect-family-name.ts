/** Addresses of a provider, as a document or a helper's options name them. */
export interface ProviderAddresses {
  readonly issuer?: string | undefined
  readonly authorizationUrl?: string | undefined
  readonly tokenUrl?: string | undefined
}

/**
 * Detects the family of a provider, by its issuer, else by its endpoints. A provider behind a domain of the organization's own (Okta,
 * Auth0, PingOne and Entra External ID support that) is `other`, and so is a text that is not a URL.
 */
export function detectFamilyName(addresses: ProviderAddresses): FamilyName {
  return findSign(addresses)?.[0] ?? 'other'
}

/** Returns whether only the path of an address indicates the family: a guess, because the installer of a product chooses the path. */
export function isFamilyGuessed(addresses: ProviderAddresses): boolean {
  return findSign(addresses)?.[1].host === undefined
}

function findSign({ issuer, authorizationUrl, tokenUrl }: ProviderAddresses): FoundSign | undefined {
  const addresses = issuer === undefined ? [authorizationUrl, tokenUrl] : [issuer]
  return addresses.map((address) => matchSign(address)).find((sign) => sign !== undefined)
}

type FoundSign = readonly [FamilyName, FamilySign]

function matchSign(address: string | undefined): FoundSign | undefined {
  if (address === undefined || !URL.canParse(address)) return undefined
  const { hostname, pathname } = new URL(address)
  return signList.find(([, { host, path }]) => (host?.test(hostname) ?? true) && (path?.test(pathname) ?? true))
}

interface FamilySign {
  readonly host?: RegExp
  readonly path?: RegExp
}

/**
 * The families of identity providers whose rules are known, by the addresses of their providers. The first sign that matches decides: the
 * hosts stand before the paths, because whoever installs a product chooses its path.
 */
const signs = {
  // Microsoft Learn, "National clouds": the hosts of Entra ID in the global cloud, for the US government and in China.
  entra: {
    host: /^(login\.microsoftonline\.(com|us|de)|login\.(windows\.net|microsoft\.com)|sts\.windows\.net|login\.partner\.microsoftonline\.cn|(login|sts)\.chinacloudapi\.cn)$/,
  },
  'entra-external': { host: /\.(b2clogin|ciamlogin)\.(com|us|cn)$/ },
  google: { host: /^(accounts\.google\.com|oauth2\.googleapis\.com)$/ },
  okta: { host: /\.(okta|oktapreview|okta-emea|okta-gov)\.com$|\.okta\.mil$/ },
  auth0: { host: /\.auth0(app)?\.com$/ },
  pingone: { host: /^auth\.pingone\.(com|eu|ca|asia|sg|com\.au)$/ },
  cognito: { host: /^cognito-idp\.[a-z0-9-]+\.(amazonaws\.com(\.cn)?|api\.aws)$|\.amazoncognito\.com$/ },
  salesforce: { host: /^(login|test)\.salesforce\.com$|\.my\.(salesforce|site)\.com$/ },
  keycloak: { path: /\/realms\/[^/]+(\/protocol\/openid-connect\/\w+)?\/?$/ },
  adfs: { path: /^\/adfs(\/oauth2\/(authorize|token))?\/?$/i },
  pingfederate: { path: /\/as\/(authorization|token)\.oauth2$/ },
} as const satisfies Readonly<Record<string, FamilySign>>

/** The family of an identity provider; `other` if only the standards are known of it. */
export type FamilyName = keyof typeof signs | 'other'

const signList = Object.entries(signs) as readonly FoundSign[] // the keys of a constant

/** In the order in which addresses are matched, and `other` at the end. */
export const familyNames = [...Object.keys(signs), 'other'] as readonly FamilyName[] // the keys of a constant
