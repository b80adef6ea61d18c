import type { SignInResult } from '../../client/credentials/client-sign-in.ts'
import { type SignInCredential, toSignInSettings } from '../../client/credentials/sign-in-settings.ts'
import { examineCredential } from '../../client/doctor/examine-credential.ts'
import { type Part, skipParts } from '../../client/examination.ts'
import type { GatewayInference } from '../../config/document.ts'
import { describeRedirect } from '../../contract/identity-providers/describe-redirect.ts'
import type { RefusalReason } from '../../contract/refusal-reasons.ts'
import { Deadline } from '../../runtime/deadline.ts'
import { toHelperError, toOneLine } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { networkHint } from '../../runtime/network/network-failure.ts'
import type { Secret } from '../../runtime/secret.ts'
import { type Claims, parseJwt } from '../../runtime/tokens/jwt.ts'
import { renderDuration } from '../../runtime/values/duration.ts'
import { computeScope, type OidcSettings } from '../../sources/oauth/oidc/oidc-settings.ts'
import { openProvider } from '../../sources/oauth/oidc/protocol/open-provider.ts'
import type { ProviderMetadata } from '../../sources/oauth/oidc/provider.ts'
import type { Cli } from '../cli.ts'
import { createCommandSignIn } from '../create-command-sign-in.ts'
import { createTurnFetch, readNetwork } from '../network.ts'

/**
 * Examines the sign-in of a document: its provider; then, with consent, one sign-in of a person, its token, and one turn with the token.
 */
export async function examineSignIn(
  cli: Cli,
  inference: GatewayInference,
  credential: SignInCredential,
  consent: SignInConsent,
): Promise<Part[]> {
  const found = toSignInSettings(credential)
  if ('failure' in found) {
    const { message, hint } = found
    return [{ part: 'provider', outcome: 'bad', lines: [message], hint }, ...skipParts('sign-in', 'token', 'gateway')]
  }
  const provider = await examineProvider(cli.host, found)
  if (provider.outcome === 'bad') return [provider, ...skipParts('sign-in', 'token', 'gateway')]
  return [provider, ...(consent === 'agreed' ? await examinePerson(cli, inference, found) : skippedParts)]
}

/** Whether the person has consented to opening a browser. */
export type SignInConsent = 'agreed' | 'nobody asked'

const skippedParts: readonly Part[] = [
  {
    part: 'sign-in',
    outcome: 'not examined',
    lines: ['skipped: standard input is not a terminal, and without --yes no browser opens'],
    hint: 'pass --yes, and sign in in the browser that opens',
  },
  { part: 'token', outcome: 'not examined', lines: ['skipped: nobody has signed in'] },
  { part: 'gateway', outcome: 'not examined', lines: ['skipped: nobody has signed in'] },
]

/** The time limit of the provider, in seconds. */
const answerSec = 30

/** Examines the provider by its discovery document, without a sign-in. */
async function examineProvider(host: Host, settings: OidcSettings): Promise<Part> {
  try {
    return describeMetadata(await fetchMetadata(host, settings), settings)
  } catch (error) {
    const { message, hint } = toHelperError(error)
    return { part: 'provider', outcome: 'bad', lines: [message], hint }
  }
}

/**
 * Fetches the discovery document of a provider, over the network of this command.
 * @throws {HelperError} `not-configured` for an invalid issuer, `unavailable` or `late` without an answer.
 */
export async function fetchMetadata(host: Host, settings: OidcSettings): Promise<ProviderMetadata> {
  const seconds = Math.ceil(host.clock.elapsedMs() / 1000) + answerSec
  const deadline = new Deadline({ seconds, hint: networkHint }, host.clock)
  const network = await readNetwork(host)
  const { metadata } = await openProvider(settings, { host, call: { deadline, network } })
  return metadata
}

/** Compares a discovery document with the requirements of this sign-in; pure. */
export function describeMetadata(metadata: ProviderMetadata, settings: OidcSettings): Part {
  const found = rules.flatMap((rule) => rule(metadata, settings) ?? [])
  const lines = [
    ...describeEndpoints(metadata, settings),
    `asks for: ${computeScope(settings)}; the gateway gets the ${settings.bearerTokenType}`,
    `redirect: ${describeRedirect(settings).text}`,
    ...found.map(({ words }) => words),
  ]
  const [worst] = found
  return { part: 'provider', outcome: worst?.outcome ?? 'good', lines, ...(worst && { hint: worst.hint }) }
}

function describeEndpoints(metadata: ProviderMetadata, { issuer }: OidcSettings): string[] {
  const source =
    issuer === undefined
      ? 'without discovery, as the document sets them'
      : `issuer ${issuer}, by its discovery document`
  const named = Object.entries(endpoints).flatMap(([member, name]) => {
    const address = metadata[member]
    return typeof address === 'string' ? [`${name}: ${address}`] : []
  })
  return [source, ...named]
}

const endpoints = {
  authorization_endpoint: 'sign-in page',
  token_endpoint: 'token endpoint',
  revocation_endpoint: 'revocation endpoint',
} as const

interface Remark {
  readonly outcome: 'bad' | 'note'
  readonly words: string
  readonly hint: string
}

/** Worst first. A missing list proves nothing (RFC 8414, section 2). */
const rules: readonly ((metadata: ProviderMetadata, settings: OidcSettings) => Remark | undefined)[] = [
  ({ authorization_endpoint: page, token_endpoint: token }) =>
    typeof page === 'string' && typeof token === 'string'
      ? undefined
      : {
          outcome: 'bad',
          words: 'it names no sign-in page, or no token endpoint',
          hint: 'correct inference.credential.oidc.issuer in the document',
        },
  (metadata) =>
    isMissing(metadata, 'response_types_supported', 'code')
      ? {
          outcome: 'bad',
          words: 'it does not offer the authorization code flow',
          hint: 'have the authorization code flow switched on, or choose another provider',
        }
      : undefined,
  (metadata) =>
    isMissing(metadata, 'code_challenge_methods_supported', 'S256')
      ? {
          outcome: 'note',
          words: 'it does not say that it checks PKCE (S256)',
          hint: 'ask whoever runs the provider whether it checks PKCE',
        }
      : undefined,
  (metadata, settings) =>
    settings.appendOfflineAccess && isMissing(metadata, 'scopes_supported', 'offline_access')
      ? {
          outcome: 'note',
          words: 'offline_access is not among the scopes that it lists, so there may be no refresh token, or a refusal',
          hint: 'ask whoever runs the provider how to ask for a refresh token; without one, set appendOfflineAccess to false',
        }
      : undefined,
]

function isMissing(metadata: ProviderMetadata, member: string, value: string): boolean {
  const listed = metadata[member]
  return Array.isArray(listed) && !listed.includes(value)
}

async function examinePerson(cli: Cli, inference: GatewayInference, settings: OidcSettings): Promise<Part[]> {
  const { parts, last } = await observePerson(cli, inference, settings)
  return last ? parts : [...parts, ...skipParts('token', 'gateway')]
}

/** Observes one sign-in of a person, its renewal with a refresh token, and one turn with the last token. */
export async function observePerson(
  cli: Cli,
  inference: GatewayInference,
  settings: OidcSettings,
): Promise<ObservedPerson> {
  const signIn = (await createCommandSignIn(cli.host))(settings)
  const first = await signIn.signIn()
  if (!first.ok) return { parts: [describeSignIn(first, undefined)] }
  const renewal = first.isRenewable ? await signIn.renew() : undefined
  const last = renewal?.ok ? { ...renewal, isRenewed: true } : { ...first, isRenewed: false }
  const parts = await examineCredential(
    inference,
    { token: last.token, headers: {} },
    0,
    await createTurnFetch(cli.host),
  )
  return { parts: [describeSignIn(first, renewal), ...withClaims(parts, last.token, settings)], last }
}

/** The parts of an examined sign-in, and its last token; absent without a sign-in. */
interface ObservedPerson {
  readonly parts: Part[]
  readonly last?: Extract<SignInResult, { ok: true }> & { readonly isRenewed: boolean }
}

/** Describes one sign-in of a person, and its renewal with a refresh token; pure. */
export function describeSignIn(first: SignInResult, renewal: SignInResult | undefined): Part {
  if (!first.ok) {
    const { message, hint } = first.failure
    return { part: 'sign-in', outcome: 'bad', lines: [message], hint }
  }
  const done = `a person signed in, after ${renderDuration(Math.round(first.durationMs / 1000))}`
  const life = first.lifeSec === undefined ? [] : [`the token lives ${renderDuration(Math.round(first.lifeSec))}`]
  const lines = [done, ...life]
  if (!renewal)
    return {
      part: 'sign-in',
      outcome: 'note',
      lines: [...lines, 'the provider gave no refresh token'],
      hint: 'have it issue one, or people sign in again whenever a token expires',
    }
  if (renewal.ok)
    return { part: 'sign-in', outcome: 'good', lines: [...lines, 'it was renewed once, without the person'] }
  const { message, hint } = renewal.failure
  const cause = `the sign-in cannot be renewed, so that people are signed out when the token ends: ${message}`
  return { part: 'sign-in', outcome: 'bad', lines: [...lines, `it cannot be renewed: ${message}`], cause, hint }
}

/** Adds the claims to the token's part and, if the gateway refused the token, the likely cause. */
export function withClaims(parts: readonly Part[], token: Secret, settings: OidcSettings): Part[] {
  const claims = parseJwt(token.reveal())?.claims
  return parts.map((part) => {
    if (part.part === 'token') return { ...part, lines: [...part.lines, ...describeClaims(claims)] }
    const { status, reason } = part.answer ?? {}
    const isAboutClaims = reason === undefined || claimReasons.includes(reason)
    return isAboutClaims && (status === 401 || status === 403) ? explainRefusal(part, claims, settings) : part
  })
}

/** The verifier's reasons that another kind of token, or another setting of the gateway, would change. */
const claimReasons: readonly string[] = ['audience', 'issuer', 'unknown-kind'] satisfies RefusalReason[]

function describeClaims(claims: Claims | undefined): string[] {
  if (!claims) return ['it is opaque: only the provider can say what it is for']
  return shownClaims.flatMap((name) => (claims[name] === undefined ? [] : [`${name}: ${renderClaim(claims[name])}`]))
}

/** The claims by which gateways decide. The person's name and address are not part of a support ticket. */
const shownClaims = ['iss', 'aud', 'azp', 'appid', 'scp', 'scope'] as const

function explainRefusal(part: Part, claims: Claims | undefined, { bearerTokenType, clientId }: OidcSettings): Part {
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

/** Renders a claim, which may contain anything because the provider writes it. */
function renderClaim(value: unknown): string {
  return toOneLine(JSON.stringify(value) ?? 'not stated').slice(0, 200)
}
