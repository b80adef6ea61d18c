import type { Credential, Oidc } from '../../config/document.ts'
import { brokerFlow, describeBrokers } from '../../contract/identity-brokers.ts'
import { bearerTokenTypes, redirectHosts } from '../../contract/oauth-names.ts'
import type { OidcSettings } from '../../sources/oauth/oidc/oidc-settings.ts'
import { programName } from '../../version.ts'
import type { TurnFailure } from '../client-event.ts'

/** A credential for which the client itself signs a person in. */
export type SignInCredential = Extract<Credential, { kind: 'interactive' | 'external-idp' }>

export function isSignIn(credential: Credential | undefined): credential is SignInCredential {
  return credential?.kind === 'interactive' || credential?.kind === 'external-idp'
}

/** Why this stand-in cannot sign a person in by a document. */
interface SignInProblem {
  readonly failure: TurnFailure
  readonly message: string
  /** In the imperative. */
  readonly hint: string
}

/** Returns the provider of the client's sign-in, or the reason why the client cannot sign anybody in. */
export function toSignInSettings({ kind, authFlow, oidc }: SignInCredential): OidcSettings | SignInProblem {
  if (authFlow === 'broker') return brokerNeeded
  if (!oidc) return kind === 'interactive' ? gatewaySignIn : noProvider
  return toOidcSettings(oidc) ?? createIncompleteProvider(oidc)
}

const brokerNeeded: SignInProblem = {
  failure: 'broker-needed',
  message: `authFlow "broker" needs ${describeBrokers()}; there ${brokerFlow}. This stand-in has no broker, so no turn is sent`,
  hint: 'set authFlow to "browser" to try the same provider here; to try the broker, use the client itself',
}

const gatewaySignIn: SignInProblem = {
  failure: 'unsupported-kind',
  message:
    'kind "interactive" without oidc is a sign-in at the gateway itself, whose protocol no specification shows, so it cannot be tried here',
  hint: 'set kind to "external-idp" and oidc to the identity provider behind the gateway, or try it in the client itself',
}

const noProvider: SignInProblem = {
  failure: 'no-credential',
  message: 'the document names no identity provider (oidc)',
  hint: 'set oidc, with its clientId and issuer',
}

function createIncompleteProvider(oidc: Oidc): SignInProblem {
  return {
    failure: 'no-credential',
    message: `oidc ${neededFields}`,
    hint: `set ${listMissingFields(oidc).join(' and ')} in it; see: ${programName} config check FILE`,
  }
}

/** The settings that a sign-in requires, as the end of a message. */
export const neededFields = 'needs clientId, and issuer or both authorizationUrl and tokenUrl'

/** Lists the missing settings for a sign-in; empty if none is missing. */
export function listMissingFields({ clientId, issuer, authorizationUrl, tokenUrl }: Oidc): string[] {
  const client = clientId === undefined ? ['clientId'] : []
  if (issuer !== undefined) return client
  const urls = Object.entries({ authorizationUrl, tokenUrl }).filter(([, url]) => url === undefined)
  return [...client, ...(urls.length === 2 ? ['issuer'] : urls.map(([name]) => name))]
}

/** Adds the defaults to the provider's settings in a document; `undefined` if no sign-in is possible with them. */
export function toOidcSettings(oidc: Oidc): OidcSettings | undefined {
  const { clientId, issuer, authorizationUrl, tokenUrl, additionalRedirectReferrerHosts, ...others } = oidc
  if (clientId === undefined || listMissingFields(oidc).length > 0) return undefined
  return {
    ...others,
    clientId,
    // If both are set, the issuer is used.
    ...(issuer === undefined ? { authorizationUrl, tokenUrl } : { issuer }),
    bearerTokenType: oidc.bearerTokenType ?? bearerTokenTypes[0],
    appendOfflineAccess: oidc.appendOfflineAccess ?? true,
    redirectHost: oidc.redirectHost ?? redirectHosts[0],
    additionalRedirectReferrerHosts: additionalRedirectReferrerHosts?.split(/\s+/).filter(Boolean) ?? [],
  }
}

/** Names the provider for people: its issuer, or without one the address of the sign-in page. */
export function nameProvider({ issuer, authorizationUrl }: Pick<OidcSettings, 'issuer' | 'authorizationUrl'>): string {
  return issuer ?? authorizationUrl ?? ''
}
