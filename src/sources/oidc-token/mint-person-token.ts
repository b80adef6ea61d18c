// Folder: the helper that prints the token of a person who has signed in with an OpenID provider.

import { isPromptAllowed } from '../../contract/context.ts'
import type { MintCall, MintedToken, NetworkCall, Refresh } from '../../helper/define-helper.ts'
import { clockHint, HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import type { Secret } from '../../runtime/secret.ts'
import { toClaimFacts } from '../../runtime/tokens/claim-facts.ts'
import { parseClaims } from '../../runtime/tokens/jwt.ts'
import { selectTexts } from '../../runtime/values/json-value.ts'
import { describeSkew } from '../clock-offset.ts'
import { describeProvider } from '../oauth/oidc/describe-provider.ts'
import type { OidcSettings } from '../oauth/oidc/oidc-settings.ts'
import { renewSignIn } from '../oauth/store/renew-sign-in.ts'
import type { SignInStore, StoredSignIn } from '../oauth/store/sign-in-store.ts'
import { findBearer, isAmongRefused, isRefused, recordRefusal } from '../oauth/store/stored-tokens.ts'
import { createStore } from './create-store.ts'
import { describeRemedy } from './missing-refresh-token.ts'
import type { OidcTokenCallOptions } from './oidc-token-options.ts'
import type { ExchangePlan } from './plan-exchange.ts'
import type { OidcTokenPlan } from './plan-person-token.ts'
import { isEnding, isEnough, isPersonAsked, isVoid, type TokenDemand, toSignInRequired } from './token-demand.ts'

/**
 * Mints the token of the person who is signed in, and renews it first if it would expire too early.
 * @throws {HelperError} `sign-in-required` if nobody is signed in, or the sign-in is about to end.
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
    return attemptTaking(options, { host, call, store }, () =>
      mintExchanged(exchange, { settings, store }, { host, call, demand, options }),
    )
  const isUsable = (found: StoredSignIn) => !isRefused(found) && !isJustRefused(found, call, plan)
  const signIn = await attemptTaking(options, { host, call, store }, async () => {
    const isServable = (found: StoredSignIn) =>
      isUsable(found) && !isPersonDue(found, options, call) && isEnough(found, demand)
    const found = await renewSignIn(settings, store, { host, call, isEnough: isServable })
    if (!isUsable(found))
      throw toSignInRequired(`${describeSignIn(plan)} gives no other token than the one that was refused`)
    return found
  })
  refuseEnding(signIn, demand, options, plan)
  tellSkew(signIn, demand, call, plan)
  const { expiresAt, clockOffsetMs } = signIn.tokens
  return {
    token: requireToken(signIn, plan),
    expiresAt,
    clockOffsetMs,
    facts: toTokenFacts(signIn, settings, call.wantedFacts),
    ...(!signIn.tokens.refreshToken && { remedy: describeRemedy(settings, options) }),
  }
}

/**
 * Records that the gateway has refused the person's token. With an exchange nothing is recorded, because the gateway got only the exchanged
 * token, which is new in each mint.
 */
export async function recordPersonRefusal(
  host: Host,
  options: OidcTokenCallOptions,
  call: NetworkCall,
  plan: OidcTokenPlan,
  refresh: Refresh,
): Promise<void> {
  if (plan.exchange) return
  const store = createStore(plan.settings, options, { host, call })
  const { bearerTokenType } = plan.settings
  const parts = { deadline: call.deadline.shorten(longestRecordingSec), now: host.clock.now(), bearerTokenType }
  await recordRefusal(store, refresh, parts).catch((error: unknown) => {
    if (!(error instanceof HelperError) || call.deadline.isOver()) throw error
    // A store that is locked for so long is being renewed, which brings another token.
    if (error.kind !== 'late') call.warn(`${error.message}; only this run knows that the gateway refused the token`)
  })
}

/** In seconds: the limit for recording. The renewal needs the rest of a call in `mid-session-refresh`. Our decision. */
const longestRecordingSec = 3

function toDemand({ clock }: Host, options: OidcTokenCallOptions, { context, renews }: MintCall): TokenDemand {
  const { 'client-ttl': clientTtlSec, 'not-before': date } = options
  const notBefore = date === undefined ? undefined : Date.parse(date)
  return { context, now: clock.now(), startedAt: clock.startedAt, clientTtlSec, renews, notBefore }
}

/** The store from which a sign-in is taken, and the run that takes it. */
interface Taking {
  readonly host: Pick<Host, 'clock'>
  readonly call: MintCall
  readonly store: SignInStore
}

/** Mints the token that the person's token is exchanged for. The client does not keep the person's token, and the gateway does not see it. */
async function mintExchanged(
  exchange: ExchangePlan,
  { settings, store }: { settings: OidcSettings; store: SignInStore },
  { host, call, demand, options }: { host: Host; call: MintCall; demand: TokenDemand; options: OidcTokenCallOptions },
): Promise<MintedToken> {
  const { mintByExchange } = await import('./mint-exchange.ts')
  const lenient = { ...demand, context: 'unknown', clientTtlSec: 0, renews: undefined } as const
  const source = {
    settings,
    store,
    isEnough: (found: StoredSignIn) => !isPersonDue(found, options, call) && isEnough(found, lenient),
    toFacts: (found: StoredSignIn, wanted: ReadonlySet<string> | undefined) => toTokenFacts(found, settings, wanted),
  }
  return mintByExchange(source, exchange, { host, call })
}

async function attemptTaking<T>(options: OidcTokenCallOptions, taking: Taking, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof HelperError
      ? applySignInOff(await prepareFailure(error, taking), options, taking.call)
      : error
  }
}

/**
 * Prepares the failure of a mint. After a faulty renewal, the previous token is not served, and a person may sign in again. If that token
 * had expired and nobody may be asked, the provider's failure is reported. After an early renewal, the cached token stays valid.
 */
async function prepareFailure(error: HelperError, { host, call, store }: Taking): Promise<HelperError> {
  if (error.kind !== 'refused' || call.renews !== undefined) return error
  const stored = await store.read(call.deadline)
  if (!stored?.refused || !isRefused(stored)) return error
  await call.removeToken(stored.refused.digest)
  const isOver = (stored.tokens.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY) <= host.clock.now()
  if (isOver && !isPromptAllowed(call.context)) return error
  return new HelperError('sign-in-required', error.message, error.hint, { cause: error })
}

/** Replaces the hint if the option `sign-in` is `off`, because a new session would not ask anybody either. */
function applySignInOff(error: HelperError, options: OidcTokenCallOptions, { program }: MintCall): HelperError {
  if (error.kind !== 'sign-in-required' || options['sign-in'] !== 'off') return error
  const hint = `sign-in is off; to sign in, run with the other options of this run: ${program} sign-in --sign-in auto`
  return new HelperError(error.kind, error.message, hint, { cause: error })
}

/**
 * Returns whether the provider requires the person, who is asked in this run. The renewal that comes first gets the challenge once more, or
 * succeeds because the provider no longer requires the person.
 */
function isPersonDue({ challenge }: StoredSignIn, options: OidcTokenCallOptions, { context }: MintCall): boolean {
  return challenge !== undefined && isPersonAsked(context, options)
}

/** Returns whether the gateway has just refused this token, even if the refusal could not be recorded. */
function isJustRefused(signIn: StoredSignIn, { refresh }: MintCall, plan: OidcTokenPlan): boolean {
  const token = findBearer(signIn, plan.settings.bearerTokenType)
  return refresh !== undefined && token !== undefined && isAmongRefused(token, signIn.tokens.expiresAt, refresh.refused)
}

/**
 * Refuses a sign-in from before the date of `not-before`, or one that cannot be renewed and ends soon. A person who may be asked is asked
 * now, because the token would expire in the middle of the session.
 */
function refuseEnding(
  signIn: StoredSignIn,
  demand: TokenDemand,
  options: OidcTokenCallOptions,
  plan: OidcTokenPlan,
): void {
  const name = describeSignIn(plan)
  if (isVoid(signIn, demand)) throw toSignInRequired(`${name} is from before the date of not-before`)
  if (!isPersonAsked(demand.context, options) || !isEnding(signIn, demand)) return
  throw toSignInRequired(`${name} is about to end, and is not renewed`)
}

/** Warns of a wrong clock, only in the run in which the tokens were issued. */
function tellSkew(
  { since, renewedAt = since, tokens }: StoredSignIn,
  { startedAt }: TokenDemand,
  call: MintCall,
  { settings }: OidcTokenPlan,
): void {
  const skew = describeSkew(tokens.clockOffsetMs ?? 0, `that of ${describeProvider(settings)}`)
  if (skew !== undefined && renewedAt >= startedAt) call.warn(`${skew}; ${clockHint}`)
}

function requireToken(signIn: StoredSignIn, plan: OidcTokenPlan): Secret {
  const token = findBearer(signIn, plan.settings.bearerTokenType)
  if (token) return token
  throw toSignInRequired(`${describeSignIn(plan)} gave no token of this kind`)
}

function describeSignIn({ settings }: OidcTokenPlan): string {
  return `the sign-in to ${describeProvider(settings)}`
}

/**
 * Collects the facts about a sign-in for header templates. The claims are those of its ID token, which was verified when it was issued.
 * @throws {HelperError} `not-configured` for a claim that it does not have.
 */
function toTokenFacts(
  { subject, tokens }: Pick<StoredSignIn, 'subject' | 'tokens'>,
  { issuer, bearerTokenType }: Pick<OidcSettings, 'issuer' | 'bearerTokenType'>,
  wanted: ReadonlySet<string> | undefined,
): Record<string, string> {
  const claims = parseClaims(tokens.idToken)
  if (!claims) refuseClaims(wanted)
  const facts = {
    subject: claims?.sub ?? subject,
    email: claims?.email,
    issuer: claims?.iss ?? issuer,
    bearer_token_type: bearerTokenType,
  }
  return {
    ...selectTexts(facts),
    ...toClaimFacts(claims ?? {}, wanted, 'the ID token'),
  }
}

function refuseClaims(wanted: ReadonlySet<string> | undefined): void {
  const claim = [...(wanted ?? [])].find((name) => name.startsWith('claims'))
  if (claim === undefined) return
  throw new HelperError(
    'not-configured',
    `a header asks for {${claim}}, and the provider gave no ID token`,
    'add openid to scopes, and sign in again',
  )
}
