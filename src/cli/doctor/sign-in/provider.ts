import type { Part } from '../../../client/examination.ts'
import { describeRedirect } from '../../../contract/identity-providers/describe-redirect.ts'
import { Deadline } from '../../../runtime/deadline.ts'
import { toHelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import { computeScope } from '../../../sources/oauth/oidc/compute-scope.ts'
import { openProvider } from '../../../sources/oauth/oidc/protocol/open-provider.ts'
import type { ProviderMetadata } from '../../../sources/oauth/oidc/provider.ts'
import type { OidcSettings } from '../../../sources/oauth/oidc/settings.ts'
import { readNetwork } from '../../network.ts'

/** How long the provider may take to answer, in seconds. */
const answerSec = 30

/** The provider, from its discovery document alone: nobody signs in for it. */
export async function examineProvider(host: Host, settings: OidcSettings): Promise<Part> {
  const seconds = Math.ceil(host.clock.elapsedMs() / 1000) + answerSec
  const deadline = new Deadline({ seconds, hint: 'try again' }, host.clock)
  try {
    const network = await readNetwork(host)
    const { metadata } = await openProvider(settings, { host, call: { deadline, network } })
    return describeMetadata(metadata, settings)
  } catch (error) {
    const { message, hint } = toHelperError(error)
    return { part: 'provider', outcome: 'bad', lines: [message], hint }
  }
}

/** What a discovery document offers, and what this sign-in needs of it; pure. */
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

/** The worst first. A list that is absent says nothing (RFC 8414, section 2). */
const rules: readonly ((metadata: ProviderMetadata, settings: OidcSettings) => Remark | undefined)[] = [
  ({ authorization_endpoint: page, token_endpoint: token }) =>
    typeof page === 'string' && typeof token === 'string'
      ? undefined
      : { outcome: 'bad', words: 'it names no sign-in page, or no token endpoint', hint: 'correct issuer' },
  (metadata) =>
    lacks(metadata, 'response_types_supported', 'code')
      ? {
          outcome: 'bad',
          words: 'it does not offer the authorization code flow',
          hint: 'choose another provider, or have it switched on',
        }
      : undefined,
  (metadata) =>
    lacks(metadata, 'code_challenge_methods_supported', 'S256')
      ? { outcome: 'note', words: 'it does not say that it checks PKCE (S256)', hint: 'ask who runs the provider' }
      : undefined,
  (metadata, settings) =>
    settings.appendOfflineAccess && lacks(metadata, 'scopes_supported', 'offline_access')
      ? {
          outcome: 'note',
          words: 'offline_access is not among the scopes that it lists, so there may be no refresh token, or a refusal',
          hint: 'ask who runs the provider how a refresh token is asked for; without it set appendOfflineAccess to false',
        }
      : undefined,
]

function lacks(metadata: ProviderMetadata, member: string, value: string): boolean {
  const listed = metadata[member]
  return Array.isArray(listed) && !listed.includes(value)
}
