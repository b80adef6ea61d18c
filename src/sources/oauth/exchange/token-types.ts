import { type BearerTokenType, tokenTypePrefix } from '../../../contract/oauth-names.ts'

/** Derives the URI of a token type: RFC 8693, section 3; for `id-jag`, draft-ietf-oauth-identity-assertion-authz-grant. */
export function toTokenType(name: BearerTokenType | 'id-jag'): string {
  return `${tokenTypePrefix}${name}`
}

/** Parses a token type in an option: the last part of a registered URI, or any URI. `undefined` for anything else. */
export function parseTokenType(text: string): string | undefined {
  if (/^[a-z0-9_-]+$/.test(text)) return `${tokenTypePrefix}${text}`
  return URL.canParse(text) ? text : undefined
}

/** Types that no gateway accepts as a bearer token: they renew a sign-in, or have to be exchanged again. */
export const unusableTypes: ReadonlySet<string> = new Set(
  ['refresh_token', 'saml1', 'saml2', 'id-jag'].map((name) => tokenTypePrefix + name),
)
