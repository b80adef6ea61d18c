import { detectFamilyName } from '../../contract/identity-providers/detect-family-name.ts'
import type { Call, Plan } from '../../helper/define-helper.ts'
import type { Host } from '../../runtime/host.ts'
import { describeProvider } from '../oauth/oidc/describe-provider.ts'
import type { OidcSettings } from '../oauth/oidc/settings.ts'
import { locateStore } from '../oauth/store/locate-store.ts'
import { readSignInId } from '../oauth/store/read-id.ts'
import type { StoreFiles } from '../oauth/store/sealing/store-files.ts'
import type { OidcTokenCallOptions } from './settings/options.ts'
import { type ExchangePlan, planExchange } from './settings/plan-exchange.ts'
import { toOidcSettings } from './settings/to-settings.ts'

/** Whose token is printed, and which one. */
export interface OidcTokenPlan extends Plan {
  readonly settings: OidcSettings
  /** Where the sign-in is kept. */
  readonly files: StoreFiles
  /** `undefined` where the person's token is printed itself. */
  readonly exchange: ExchangePlan | undefined
}

/**
 * Finds the sign-in that the options name, by reading one file without secrets.
 * @throws {HelperError} for options that are missing or cannot be used.
 */
export async function planOidcToken(
  host: Host,
  options: OidcTokenCallOptions,
  { program }: Pick<Call, 'program'>,
): Promise<OidcTokenPlan> {
  const settings = toOidcSettings(options, program)
  const exchange = await planExchange(options, program)
  const id = await readSignInId(settings, host)
  return {
    settings,
    exchange,
    get files() {
      return locateStore(settings, host)
    },
    // Another person's sign-in, or a new one of the same person, has another id.
    inputs: { signIn: id ?? null },
    steps: [
      describeToken(settings),
      `the sign-in to ${describeProvider(settings)} for the client ${settings.clientId}`,
      ...(exchange?.steps ?? []),
    ],
    isSignedOut: id === undefined,
    sourceKind: `oidc-${detectFamilyName(settings)}`,
  }
}

function describeToken({ bearerTokenType, resource }: OidcSettings): string {
  const what = bearerTokenType === 'id_token' ? 'an ID token' : 'an access token'
  return resource === undefined ? what : `${what} for ${resource}`
}
