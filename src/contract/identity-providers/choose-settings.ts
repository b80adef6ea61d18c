import { describeRedirect } from './describe-redirect.ts'
import { detectProviderFamily } from './detect-family.ts'
import type { ProviderAddresses } from './detect-family-name.ts'
import type { ProviderSettings } from './provider-settings.ts'

/** Chooses the proposed settings of a new document for this provider, before any question. */
export function chooseSettings(addresses: ProviderAddresses): ChosenSettings {
  const { loopback, offlineAccess } = detectProviderFamily(addresses)
  return {
    ...(loopback.host === 'localhost' && { redirectHost: 'localhost' }),
    ...(loopback.port === 'registered' && { redirectPort: proposedPort }),
    ...(offlineAccess === 'refused' && { appendOfflineAccess: false }),
  }
}

/** Below the ephemeral ports (from 32768 on Linux, from 49152 on macOS and Windows), and not used by a known service. */
const proposedPort = 28_400

/** The settings that a provider's family needs and that differ from the defaults; a setting that was already made stays. */
interface ChosenSettings {
  readonly redirectHost?: 'localhost'
  /** The proposed port, if the provider compares the port. */
  readonly redirectPort?: number
  readonly appendOfflineAccess?: false
}

/**
 * Sentences for an administrator about the provider: the client's registration, and the token for the gateway. Empty
 * for a provider of which nothing is known.
 */
export function describeSettings(settings: ProviderSettings): string[] {
  const { title, name, gatewayToken, audience, offlineAccess } = detectProviderFamily(settings)
  if (name === 'other') return []
  return [
    describeRedirect(settings).text,
    `the token for the gateway: ${gatewayToken.why}`,
    ...(audience !== undefined && settings.bearerTokenType === 'access_token'
      ? [`${title} names the API by ${audience}`]
      : []),
    ...(offlineAccess === 'client'
      ? [`whether ${title} gives a refresh token is set in the registration of the client`]
      : []),
  ]
}
