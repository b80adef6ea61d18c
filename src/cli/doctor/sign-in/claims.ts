import type { Part } from '../../../client/examination.ts'
import type { RefusalReason } from '../../../contract/refusal-reasons.ts'
import { toOneLine } from '../../../runtime/failure.ts'
import type { Secret } from '../../../runtime/secret.ts'
import { parseJwt } from '../../../runtime/tokens/jwt.ts'
import type { OidcSettings } from '../../../sources/oauth/oidc/settings.ts'

/** The claims that a gateway decides by. The person's name and address stay out of a support ticket. */
const shown = ['iss', 'aud', 'azp', 'appid', 'scp', 'scope'] as const

/** The reasons of a verifier that another kind of token, or another setting of the gateway, would change. */
const claimReasons: readonly string[] = ['audience', 'issuer', 'unknown-kind'] satisfies RefusalReason[]

/** Adds what the token says to its part, and where the gateway refused it what may be the cause. */
export function addClaims(parts: readonly Part[], token: Secret, settings: OidcSettings): Part[] {
  const claims = parseJwt(token.reveal())?.claims
  return parts.map((part) => {
    if (part.part === 'token') return { ...part, lines: [...part.lines, ...describeClaims(claims)] }
    const { status, reason } = part.answer ?? {}
    const isAboutClaims = reason === undefined || claimReasons.includes(reason)
    return isAboutClaims && (status === 401 || status === 403) ? explain(part, claims, settings) : part
  })
}

type Claims = Readonly<Record<string, unknown>> | undefined

function describeClaims(claims: Claims): string[] {
  if (!claims) return ['it is opaque: only the provider can say what it is for']
  return shown.flatMap((name) => (claims[name] === undefined ? [] : [`${name}: ${renderClaim(claims[name])}`]))
}

function explain(part: Part, claims: Claims, { bearerTokenType, clientId }: OidcSettings): Part {
  if (bearerTokenType === 'id_token') {
    const line = `an ID token is for the client: its aud is ${renderClaim(claims?.aud ?? clientId)}`
    const hint = `have the gateway take that audience and the issuer ${renderClaim(claims?.iss)}; if it checks tokens as an OAuth resource server, set bearerTokenType to access_token, with its API scope`
    return { ...part, lines: [...part.lines, line], hint }
  }
  if (!claims) {
    const line = 'the access token is opaque, and most gateways check JWTs only'
    return {
      ...part,
      lines: [...part.lines, line],
      hint: 'ask for a scope or a resource of the gateway, whose tokens are JWTs',
    }
  }
  const line = `the access token is for ${renderClaim(claims.aud)}, from ${renderClaim(claims.iss)}`
  const hint = 'have the gateway take that audience and issuer, or ask for a scope or a resource of its own'
  return { ...part, lines: [...part.lines, line], hint }
}

/** A claim is the provider's, so that it may hold anything. */
function renderClaim(value: unknown): string {
  return toOneLine(JSON.stringify(value) ?? 'not stated').slice(0, 200)
}
