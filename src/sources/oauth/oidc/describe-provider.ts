import { toOneLine } from '../../../runtime/failure.ts'
import type { OidcSettings } from './oidc-settings.ts'

/** The name of an OpenID provider in messages: its host, with the port if it is not the usual one. */
export function describeProvider({ issuer, tokenUrl }: Pick<OidcSettings, 'issuer' | 'tokenUrl'>): string {
  const address = issuer ?? tokenUrl ?? ''
  return URL.canParse(address) ? new URL(address).host : 'the identity provider'
}

/** The step of a mint by which a sign-in is named, and its cached tokens are recognized. */
export function describeSignIn(settings: Pick<OidcSettings, 'issuer' | 'tokenUrl' | 'clientId'>): string {
  return `the sign-in to ${describeProvider(settings)} for the client ${settings.clientId}`
}

/** The purpose of a sign-in in messages: the client to which the person's tokens are issued, and the API that they are for. */
export function describePurpose({ clientId, resource }: Pick<OidcSettings, 'clientId' | 'resource'>): string {
  return toOneLine(`the client ${clientId}${resource === undefined ? '' : ` and the resource ${resource}`}`)
}
