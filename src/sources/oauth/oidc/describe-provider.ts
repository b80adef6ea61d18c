import { toOneLine } from '../../../runtime/failure.ts'
import type { OidcSettings } from './oidc-settings.ts'

/** Names an OpenID provider in messages: its host, and its port if that is not the usual one. */
export function describeProvider({ issuer, tokenUrl }: Pick<OidcSettings, 'issuer' | 'tokenUrl'>): string {
  const address = issuer ?? tokenUrl ?? ''
  return URL.canParse(address) ? new URL(address).host : 'the identity provider'
}

/** Renders the step of a plan that names the sign-in. Cached tokens of a sign-in are recognized by it. */
export function describeSignIn(settings: Pick<OidcSettings, 'issuer' | 'tokenUrl' | 'clientId'>): string {
  return `the sign-in to ${describeProvider(settings)} for the client ${settings.clientId}`
}

/** Describes the purpose of a sign-in in messages: the client to which the person's tokens are issued, and the API that they are for. */
export function describePurpose({ clientId, resource }: Pick<OidcSettings, 'clientId' | 'resource'>): string {
  return toOneLine(`the client ${clientId}${resource === undefined ? '' : ` and the resource ${resource}`}`)
}
