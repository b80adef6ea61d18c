import type { PreparedExchange } from '../../helper/diagnosis.ts'
import type { Deadline } from '../../runtime/deadline.ts'
import { attemptUnlessFailed } from '../../runtime/failure.ts'
import type { OidcSettings } from '../oauth/oidc/oidc-settings.ts'
import type { SignInStore } from '../oauth/store/sign-in-store.ts'
import { findBearer } from '../oauth/store/stored-tokens.ts'
import type { ExchangePlan } from './plan-exchange.ts'

/**
 * Prepares the exchange at the platform that a failed run tried, with the stored token. Nothing is renewed or sent. `undefined` for another
 * form, and if nobody is signed in, which the diagnosis of the sign-in reports.
 */
export async function prepareAtPlatform(
  plan: ExchangePlan | undefined,
  { bearerTokenType }: Pick<OidcSettings, 'bearerTokenType'>,
  { store, deadline }: { readonly store: SignInStore; readonly deadline: Deadline },
): Promise<PreparedExchange | undefined> {
  if (plan?.settings.form !== 'platform') return undefined
  const { target, reuse } = plan.settings
  const tokens = (await attemptUnlessFailed(() => store.read(deadline)))?.tokens
  const assertion = tokens && findBearer({ tokens }, bearerTokenType)
  const { host: _, ...settings } = target
  return assertion && { ...settings, assertion, audience: undefined, supply: 'stored', reuse }
}
