// Names what a JWT is for, such as `an ID token`, by its header and claims.

import type { Jwt } from './jwt.ts'

/** Names the purpose of a JWT, with its article; `a JWT` if it is not recognized. */
export function describeJwtPurpose(jwt: Pick<Jwt, 'header' | 'claims'>): string {
  const title = purposes.find(({ when }) => when(jwt))?.title
  return title === undefined ? 'a JWT' : `${title} (JWT)`
}

interface PurposeRow {
  /** A noun with its article. */
  readonly title: string
  readonly when: (jwt: Pick<Jwt, 'header' | 'claims'>) => boolean
}

/** The purposes of JWTs, by their headers and claims. The first row that matches counts. */
const purposes: readonly PurposeRow[] = [
  { title: 'an AWS identity token', when: ({ claims }) => /^https:\/\/[^/]+\.tokens\.sts\./.test(toText(claims.iss)) },
  { title: 'an ID-JAG assertion', when: createTypeRule('oauth-id-jag+jwt') },
  { title: 'an access token', when: createTypeRule('at+jwt') }, // RFC 9068, section 2.1
  { title: 'a DPoP proof, which is not a token by itself', when: createTypeRule('dpop+jwt') },
  { title: 'a logout token, which signs nobody in', when: createTypeRule('logout+jwt') },
  { title: 'an identity token of a Kubernetes service account', when: createClaimRule('kubernetes.io') },
  {
    title: 'an identity token of GitHub Actions',
    when: ({ claims }) => toText(claims.iss).startsWith(githubActionsIssuer),
  },
  { title: 'an identity token of GitLab', when: createClaimRule('namespace_path') },
  { title: 'an identity token of a Google workload', when: createClaimRule('google') },
  { title: 'a SPIFFE identity token', when: ({ claims }) => toText(claims.sub).startsWith('spiffe://') },
  { title: 'an ID token', when: createClaimRule('nonce', 'at_hash', 'c_hash') }, // OpenID Connect Core, sections 2, 3.1.3.6 and 3.3.2.11
  { title: 'an access token', when: createClaimRule('scp', 'scope', 'client_id', 'cid', 'appid') },
  { title: 'an ID token', when: createClaimRule('azp', 'auth_time', 'email', 'preferred_username') },
]

/** Creates the rule for a media type, with or without `application/` (RFC 7515, section 4.1.9). */
function createTypeRule(type: string): PurposeRow['when'] {
  return ({ header }) => toText(header.typ).toLowerCase().replace('application/', '') === type
}

function createClaimRule(...names: readonly string[]): PurposeRow['when'] {
  return ({ claims }) => names.some((name) => Object.hasOwn(claims, name))
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The issuer of GitHub Actions ("OpenID Connect reference", GitHub Docs). */
export const githubActionsIssuer = 'https://token.actions.githubusercontent.com'
