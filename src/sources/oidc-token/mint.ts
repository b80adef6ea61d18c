import { isPromptAllowed } from '../../contract/context.ts'
import type { MintCall, MintedToken } from '../../helper/define-helper.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import type { Secret } from '../../runtime/secret.ts'
import { describeSkew } from '../clock-offset.ts'
import { describeProvider } from '../oauth/oidc/describe-provider.ts'
import type { OidcSettings } from '../oauth/oidc/settings.ts'
import { renewSignIn } from '../oauth/store/renew-sign-in.ts'
import type { SignInStore, StoredSignIn } from '../oauth/store/sign-in-store.ts'
import { createStore } from './create-store.ts'
import { toTokenFacts } from './facts.ts'
import { isEnding, isEnough, isVoid, type TokenDemand } from './is-enough.ts'
import type { OidcTokenPlan } from './plan.ts'
import { describeRemedy } from './remedy.ts'
import type { OidcTokenCallOptions } from './settings/options.ts'
import type { ExchangePlan } from './settings/plan-exchange.ts'

/**
 * The token of the person who is signed in, renewed where it would not last.
 * @throws {HelperError} `sign-in-required` where nobody is, or not for long.
 */
export async function mintPersonToken(
  host: Host,
  options: OidcTokenCallOptions,
  call: MintCall,
  plan: OidcTokenPlan,
): Promise<MintedToken> {
  const { settings } = plan
  const demand = toDemand(host, options, call)
  const store = createStore(settings, options, { host, call })
  const { exchange } = plan
  if (exchange)
    return findSignIn(options, call, () => mintExchanged(exchange, { settings, store }, { host, call, demand }))
  const signIn = await findSignIn(options, call, () =>
    renewSignIn(settings, store, { host, call, isEnough: (found) => isEnough(found, demand) }),
  )
  refuseEnding(signIn, demand, options, plan)
  warnOfClock(signIn, demand, call, plan)
  const { expiresAt, clockOffsetMs } = signIn.tokens
  return {
    token: requireToken(signIn, plan),
    ...{ expiresAt, clockOffsetMs },
    facts: toTokenFacts(signIn, settings, call.wantedFacts),
    ...(!signIn.tokens.refreshToken && { remedy: describeRemedy(settings, options) }),
  }
}

/** The token that the person's is exchanged for. Theirs is not kept by the client, and the gateway has not seen it. */
async function mintExchanged(
  exchange: ExchangePlan,
  { settings, store }: { settings: OidcSettings; store: SignInStore },
  { host, call, demand }: { host: Host; call: MintCall; demand: TokenDemand },
): Promise<MintedToken> {
  const { mintByExchange } = await import('./exchange/mint.ts')
  const own = { ...demand, context: 'unknown', clientTtlSec: 0, renews: undefined } as const
  const source = {
    ...{ settings, store },
    isEnough: (found: StoredSignIn) => isEnough(found, own),
    toFacts: (found: StoredSignIn, wanted: ReadonlySet<string> | undefined) => toTokenFacts(found, settings, wanted),
  }
  return mintByExchange(source, exchange, { host, call })
}

function toDemand({ clock }: Host, options: OidcTokenCallOptions, { context, renews }: MintCall): TokenDemand {
  const { 'client-ttl': clientTtlSec, 'not-before': date } = options
  const notBefore = date === undefined ? undefined : Date.parse(date)
  return { context, now: clock.now(), startedAt: clock.startedAt, clientTtlSec, renews, notBefore }
}

/** Where nobody is ever asked, no new session helps. */
async function findSignIn<T>(options: OidcTokenCallOptions, { program }: MintCall, find: () => Promise<T>): Promise<T> {
  try {
    return await find()
  } catch (error) {
    if (!(error instanceof HelperError) || error.kind !== 'sign-in-required' || options['sign-in'] !== 'off')
      throw error
    const hint = `sign-in is off: sign in with ${program} sign-in --sign-in auto, with the other options of this run`
    throw new HelperError(error.kind, error.message, hint, { cause: error })
  }
}

/**
 * What nothing renews does not do if it is from before the date of `not-before`, or ends soon: a person who may be asked is asked
 * before the token ends in the middle of their session.
 */
function refuseEnding(
  signIn: StoredSignIn,
  demand: TokenDemand,
  options: OidcTokenCallOptions,
  plan: OidcTokenPlan,
): void {
  const name = `the sign-in to ${describeProvider(plan.settings)}`
  if (isVoid(signIn, demand)) throw toSignInRequired(`${name} is from before the date of not-before`)
  const mayAsk = isPromptAllowed(demand.context) && options['sign-in'] !== 'off' && !options.explain
  if (!mayAsk || !isEnding(signIn, demand)) return
  throw toSignInRequired(`${name} is about to end, and is not renewed`)
}

/** Said once, when the tokens are issued. */
function warnOfClock(
  { since, renewedAt = since, tokens }: StoredSignIn,
  { startedAt }: TokenDemand,
  call: MintCall,
  { settings }: OidcTokenPlan,
): void {
  const skew = describeSkew(tokens.clockOffsetMs ?? 0, `that of ${describeProvider(settings)}`)
  if (skew !== undefined && renewedAt >= startedAt) call.warn(`${skew}; set the clock of this machine`)
}

function requireToken({ tokens }: StoredSignIn, { settings }: OidcTokenPlan): Secret {
  const token = settings.bearerTokenType === 'id_token' ? tokens.idToken : tokens.accessToken
  if (token) return token
  throw toSignInRequired(`the sign-in to ${describeProvider(settings)} gave no token of this kind`)
}

function toSignInRequired(message: string): HelperError {
  return new HelperError('sign-in-required', message, 'sign in again')
}
