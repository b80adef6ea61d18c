import type { Oidc } from '../../../config/document.ts'
import { chooseSettings, describeSettings } from '../../../contract/identity-providers/choose-settings.ts'
import type { ProviderAddresses } from '../../../contract/identity-providers/detect-family-name.ts'
import { usualRedirectPath } from '../../../contract/identity-providers/family.ts'
import { redirectPorts } from '../../../contract/oauth-names.ts'
import { renderNotice } from '../../../runtime/failure.ts'
import { programName } from '../../../version.ts'
import type { InitFlags } from './flags.ts'
import { type Interview, resolveAnswer } from './question.ts'

/**
 * Chooses the settings that the provider's family needs in addition to the defaults, unless a flag sets them; a person is asked for the
 * port.
 */
export async function askProviderSettings(
  interview: Interview,
  { redirectHost, redirectPort, offlineAccess }: InitFlags,
  addresses: ProviderAddresses,
): Promise<
  Pick<{ [name in keyof Oidc]: Oidc[name] | undefined }, 'redirectHost' | 'redirectPort' | 'appendOfflineAccess'>
> {
  const chosen = chooseSettings(addresses)
  const port = await askPort(interview, chosen.redirectPort, redirectPort)
  return {
    // The flag exists only as `--no-offline-access`.
    appendOfflineAccess: offlineAccess === false ? false : chosen.appendOfflineAccess,
    redirectPort: port === undefined ? undefined : Number(port),
    redirectHost: redirectHost ?? chosen.redirectHost,
  }
}

/** Asks for the port only if the provider compares it. */
async function askPort(
  interview: Interview,
  proposed: number | undefined,
  given: string | undefined,
): Promise<string | undefined> {
  if (proposed === undefined) return given
  const question = {
    flag: '--redirect-port',
    words: `Port to which the browser comes back, as it is registered (${min} to ${max})`,
    fallback: { value: String(proposed), words: String(proposed) },
    validate: validatePort,
  }
  return resolveAnswer(interview, question, given)
}

const { min, max } = redirectPorts

/** Validates the text of a port; `undefined` for a valid one. */
function validatePort(text: string): string | undefined {
  const isGood = /^\d{4,5}$/.test(text) && Number(text) >= min && Number(text) <= max
  return isGood ? undefined : `expected a whole number from ${min} to ${max}`
}

/** Prints how the client is registered with a known provider. A document has no field for the path. */
export function tellRegistration(interview: Interview, oidc: Oidc): void {
  const said = describeSettings(oidc)
  const path = said.some((text) => text.includes(usualRedirectPath)) ? [ownPath] : []
  tellNotices(interview, [...said, ...path])
}

/** Prints each text on its own line. */
export function tellNotices({ cli }: Interview, texts: readonly string[]): void {
  cli.terminal.tell(texts.map((text) => renderNotice(programName, text)).join(''))
}

const ownPath = `${usualRedirectPath} is the path that Gatepass uses; for another client, ask its vendor for the path`
