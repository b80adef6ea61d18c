import { isPromptAllowed } from '../../contract/context.ts'
import { bearerTokenNames } from '../../contract/oauth-names.ts'
import type { MintCall, MintedToken } from '../../helper/define-helper.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import type { Secret } from '../../runtime/secret.ts'
import { toClaimFacts } from '../../runtime/tokens/claim-facts.ts'
import { parseJwt } from '../../runtime/tokens/jwt.ts'
import { toDate } from '../../runtime/values/duration.ts'
import { UsedAssertionError } from '../exchange/exchange-once.ts'
import { mintWorkloadToken } from '../exchange/mint-workload-token.ts'
import type { IdentitySource } from '../identity/identity-source.ts'
import type { ExchangeSettings } from '../oauth/exchange/exchange-settings.ts'
import { exchangeSubject } from '../oauth/exchange/exchange-subject.ts'
import type { SubjectSupply } from '../oauth/exchange/exchange-token.ts'
import type { Granted } from '../oauth/exchange/send-grant.ts'
import type { OidcSettings } from '../oauth/oidc/oidc-settings.ts'
import { type RenewalParts, renewSignIn } from '../oauth/store/renew-sign-in.ts'
import type { SignInStore, StoredSignIn } from '../oauth/store/sign-in-store.ts'
import { findBearer } from '../oauth/store/stored-tokens.ts'
import type { ExchangePlan } from './plan-exchange.ts'
import type { PlatformExchange } from './to-exchange-settings.ts'
import { toSignInRequired } from './token-demand.ts'

/**
 * Exchanges a person's token at the platform, which accepts each token once: a token that any run of this user has exchanged is renewed
 * first.
 * @throws {HelperError} `sign-in-required` if it cannot be renewed and a person may be asked.
 */
export async function exchangeAtPlatform(
  { target, reuse }: PlatformExchange,
  supply: SubjectSupply,
  { host, call }: { host: Pick<Host, 'clock'>; call: MintCall },
): Promise<MintedToken> {
  const source = createPersonSource(supply)
  try {
    const exchange = { source, supply: 'stored', target, reuse } as const
    return await mintWorkloadToken(host, call, { ...exchange, inputs: source.inputs, steps: [] })
  } catch (error) {
    // If nobody may be asked, the last access token is served while it is valid.
    if (!(error instanceof UsedAssertionError) || !isPromptAllowed(call.context)) throw error
    throw new HelperError('sign-in-required', error.message, error.hint, { cause: error })
  }
}

/** Creates a source of identity tokens from a person's sign-in. Each token after the first is a renewal. */
function createPersonSource(supply: SubjectSupply): IdentitySource {
  let last: Secret | undefined
  return {
    token: supply.name,
    inputs: null,
    audience: undefined,
    renewalHint:
      'sign in again, or keep the refresh token (refresh-token-store), so that each exchange gets a new token',
    obtain: async () => {
      last = last === undefined ? await supply.obtain() : ((await supply.renew(last)) ?? last)
      return last
    },
  }
}

/** Mints the token that a person's token is exchanged for. @throws {HelperError} */
export async function mintByExchange(
  source: ExchangeSource,
  { settings }: ExchangePlan,
  { host, call }: { readonly host: Host; readonly call: MintCall },
): Promise<MintedToken> {
  const supply = createSignInSupply(source, { host, call })
  const { wantedFacts: wanted } = call
  if (settings.form === 'platform') {
    const minted = await exchangeAtPlatform(settings, supply, { host, call })
    return { ...minted, facts: { ...toPersonFacts(supply, source, undefined), ...minted.facts } }
  }
  const { granted } = await exchangeSubject(settings, supply, { host, call })
  tellNarrowScope(granted, settings, call)
  const { token, clockOffsetMs } = granted
  const claims = parseJwt(token.reveal())?.claims
  const claimFacts = claims && toClaimFacts(claims, wanted, 'the token that was issued')
  return {
    token,
    clockOffsetMs,
    expiresAt: computeExpiry(granted, claims),
    facts: { ...toPersonFacts(supply, source, claims ? undefined : wanted), ...claimFacts },
  }
}

/** Creates a supply of tokens from the store of a sign-in, which renews them if needed. */
function createSignInSupply(
  { settings, store, isEnough }: ExchangeSource,
  { host, call }: Pick<RenewalParts, 'host' | 'call'>,
): SignInSupply {
  let last: StoredSignIn | undefined
  const renew = async (isOther: (signIn: StoredSignIn) => boolean) => {
    return renewSignIn(settings, store, { host, call, isEnough: (found) => isEnough(found) && isOther(found) })
  }
  const take = (signIn: StoredSignIn) => {
    last = signIn
    return requireToken(signIn, settings)
  }
  return {
    name: `the ${bearerTokenNames[settings.bearerTokenType]} of the sign-in`,
    last: () => last,
    obtain: async () => take(await renew(() => true)),
    renew: async (refused) => {
      const isOther = (signIn: StoredSignIn) =>
        findBearer(signIn, settings.bearerTokenType)?.reveal() !== refused.reveal()
      const stored = await store.read(call.deadline)
      // The sign-in cannot be renewed, and no other process has replaced it.
      if (stored && !stored.tokens.refreshToken && !isOther(stored)) return undefined
      const signIn = await renew(isOther)
      if (isOther(signIn)) return take(signIn)
      // The provider has refused the renewal, so the sign-in itself has ended.
      if (!(await store.read(call.deadline))?.tokens.refreshToken)
        throw toSignInRequired('the sign-in has ended at the provider, and its token is refused')
      return undefined
    },
  }
}

/** Collects the facts about the person; claims only if those of the issued token cannot be read. */
function toPersonFacts(supply: SignInSupply, source: ExchangeSource, wanted: ReadonlySet<string> | undefined) {
  const signIn = supply.last()
  return signIn ? source.toFacts(signIn, wanted) : {}
}

/** Warns of another scope than the requested one, which a server states in its answer (RFC 6749, section 5.1). */
function tellNarrowScope({ scope: granted }: Granted, { scope: asked }: ExchangeSettings, call: MintCall): void {
  if (granted === undefined || asked === undefined) return
  const names = granted.split(' ')
  const missing = asked.split(' ').filter((name) => !names.includes(name))
  if (missing.length > 0)
    call.warn(`the server granted less than exchange-scope asks for: without ${missing.join(' ')}`)
}

/**
 * Computes when an issued token expires by this machine's clock: the earlier of the expiries in the answer and in the token itself, if it
 * is a JWT; `undefined` if neither has one.
 */
function computeExpiry(
  { expiresInSec, sentAt, clockOffsetMs }: Pick<Granted, 'expiresInSec' | 'sentAt' | 'clockOffsetMs'>,
  claims: Readonly<Record<string, unknown>> | undefined,
): Date | undefined {
  const ends: number[] = []
  // Counted from before the request, because the token cannot have been issued earlier.
  if (expiresInSec !== undefined) ends.push(sentAt + expiresInSec * 1000)
  if (typeof claims?.exp === 'number') ends.push(claims.exp * 1000 - clockOffsetMs)
  return toDate(Math.min(...ends))
}

/** A person's sign-in that supplies tokens to an exchange. */
interface SignInSupply extends SubjectSupply {
  /** The sign-in of the last token; `undefined` before the first. */
  readonly last: () => StoredSignIn | undefined
}

/** The sign-in whose token is exchanged, and its store. */
interface ExchangeSource {
  readonly settings: OidcSettings
  readonly store: SignInStore
  /**
   * Whether the tokens may be exchanged without a renewal. They may have a short life, because the client does not keep them, and the
   * gateway has not seen them, so they can also be used in `mid-session-refresh`.
   */
  isEnough(signIn: StoredSignIn): boolean
  /** The facts about the sign-in that header templates may use. */
  toFacts(signIn: StoredSignIn, wanted: ReadonlySet<string> | undefined): Readonly<Record<string, string>>
}

function requireToken(signIn: StoredSignIn, settings: OidcSettings): Secret {
  const token = findBearer(signIn, settings.bearerTokenType)
  if (token) return token
  throw toSignInRequired('the sign-in gave no token of the kind that is exchanged')
}
