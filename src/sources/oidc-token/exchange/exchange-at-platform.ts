import { isPromptAllowed } from '../../../contract/context.ts'
import type { MintCall, MintedToken } from '../../../helper/define-helper.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import type { Secret } from '../../../runtime/secret.ts'
import { UsedAssertionError } from '../../exchange/exchange-once.ts'
import { mintWorkloadToken } from '../../exchange/mint-access-token.ts'
import type { IdentitySource } from '../../identity/identity-source.ts'
import type { SubjectSupply } from '../../oauth/exchange/exchange-parts.ts'
import type { PlatformSettings } from '../settings/to-exchange-settings.ts'

/**
 * Exchanges a person's token at the platform, which takes each one once: a token that any run of this user has exchanged is
 * renewed first.
 * @throws {HelperError} `sign-in-required` where it cannot be renewed, and a person may be asked.
 */
export async function exchangeAtPlatform(
  { target, reuse }: PlatformSettings,
  supply: SubjectSupply,
  { host, call }: { host: Pick<Host, 'clock'>; call: MintCall },
): Promise<MintedToken> {
  const source = createPersonSource(supply)
  try {
    return await mintWorkloadToken(host, call, { source, target, reuse, inputs: source.inputs, steps: [] })
  } catch (error) {
    // Where nobody may be asked, the last access token is served while it is valid.
    if (!(error instanceof UsedAssertionError) || !isPromptAllowed(call.context)) throw error
    throw new HelperError('sign-in-required', error.message, error.hint, { cause: error })
  }
}

/** A person's sign-in as a source of identity tokens: each one after the first is a renewal. */
function createPersonSource(supply: SubjectSupply): IdentitySource {
  let last: Secret | undefined
  return {
    token: supply.name,
    step: supply.name,
    inputs: null,
    audience: undefined,
    renewalHint:
      'sign in again, or keep the refresh token (refresh-token-store), so that each exchange gets a new token',
    audienceHint: 'correct audience',
    obtain: async () => {
      last = last === undefined ? await supply.obtain() : ((await supply.renew(last)) ?? last)
      return last
    },
  }
}
