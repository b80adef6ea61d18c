import { detectFamilyName } from '../../contract/identity-providers/detect-family-name.ts'
import { bearerTokenNames } from '../../contract/oauth-names.ts'
import type { Call, Plan } from '../../helper/define-helper.ts'
import type { CommonOptions } from '../../helper/options/every-helper-options.ts'
import type { GivenOptions } from '../../helper/options/option-table.ts'
import { isMisuse, type Problem } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { describeSignIn } from '../oauth/oidc/describe-provider.ts'
import type { OidcSettings } from '../oauth/oidc/oidc-settings.ts'
import { locateStore, readSignInHeader } from '../oauth/store/locate-store.ts'
import type { StoreFiles } from '../oauth/store/sealed-location.ts'
import type { OidcTokenCallOptions, oidcTokenOptions } from './oidc-token-options.ts'
import { type ExchangePlan, planExchange, validateExchangeOptions } from './plan-exchange.ts'
import { toOidcSettings, validateSettings } from './to-settings.ts'
import { isPersonAsked } from './token-demand.ts'

/** The person's token that is printed. */
export interface OidcTokenPlan extends Plan {
  readonly settings: OidcSettings
  /** The files of the sign-in. */
  readonly files: StoreFiles
  /** See `planExchange`. */
  readonly exchange: ExchangePlan | undefined
}

/** Finds problems that the options have on every machine. */
export async function validateOidcToken(
  { 'client-id': clientId = '', ...others }: GivenOptions<typeof oidcTokenOptions> & CommonOptions,
  { program }: Pick<Call, 'program'>,
): Promise<Problem[]> {
  const options = { ...others, 'client-id': clientId }
  const problems = [...validateSettings(options, program), ...(await validateExchangeOptions(options, program))]
  return problems.filter(isMisuse)
}

/**
 * Plans the token of the sign-in that the options name, by reading one file without secrets.
 * @throws {HelperError} for options that are missing or cannot be used.
 */
export async function planOidcToken(
  host: Host,
  options: OidcTokenCallOptions,
  call: Pick<Call, 'program' | 'context'>,
): Promise<OidcTokenPlan> {
  const settings = toOidcSettings(options, call.program)
  const exchange = await planExchange(options, call.program)
  const stored = await readSignInHeader(settings, host)
  // The context is read only if it matters, because a call that has read it gets no memo.
  const isAsking = stored?.isChallenged && isPersonAsked(call.context, options)
  return {
    settings,
    exchange,
    get files() {
      return locateStore(settings, host)
    },
    // Another person's sign-in, or a new one of the same person, has another ID, so that a run that asks the person finds no earlier token.
    inputs: { signIn: stored?.id ?? null, ...(isAsking && { isChallenged: true }) },
    steps: [describeToken(settings), describeSignIn(settings), ...(exchange?.steps ?? [])],
    isSignedOut: stored === undefined,
    sourceKind: `oidc-${detectFamilyName(settings)}`,
  }
}

function describeToken({ bearerTokenType, resource }: OidcSettings): string {
  const what = `an ${bearerTokenNames[bearerTokenType]}`
  return resource === undefined ? what : `${what} for ${resource}`
}
