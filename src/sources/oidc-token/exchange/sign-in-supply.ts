import { HelperError } from '../../../runtime/failure.ts'
import type { Secret } from '../../../runtime/secret.ts'
import type { SubjectSupply } from '../../oauth/exchange/exchange-parts.ts'
import type { OidcSettings } from '../../oauth/oidc/settings.ts'
import { type RenewalParts, renewSignIn } from '../../oauth/store/renew-sign-in.ts'
import type { SignInStore, StoredSignIn } from '../../oauth/store/sign-in-store.ts'

/** A person's sign-in as it gives tokens to an exchange, with the one that gave the last. */
export interface SignInSupply extends SubjectSupply {
  /** `undefined` before the first token. */
  readonly last: () => StoredSignIn | undefined
}

/** Whose sign-in is exchanged, and where it is kept. */
export interface ExchangeSource {
  readonly settings: OidcSettings
  readonly store: SignInStore
  /**
   * Whether the tokens may be exchanged as they are. They need not live as long as one that the client keeps, and the gateway has not
   * seen them, so that in `mid-session-refresh` they are as good as ever.
   */
  isEnough(signIn: StoredSignIn): boolean
  /** What header templates may use of the sign-in. */
  toFacts(signIn: StoredSignIn, wanted: ReadonlySet<string> | undefined): Readonly<Record<string, string>>
}

/** Takes the tokens of a sign-in from its store, renewed where that is needed. */
export function createSignInSupply(
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
    name: settings.bearerTokenType === 'id_token' ? 'the ID token of the sign-in' : 'the access token of the sign-in',
    last: () => last,
    obtain: async () => take(await renew(() => true)),
    renew: async (refused) => {
      const isOther = (signIn: StoredSignIn) => findToken(signIn, settings)?.reveal() !== refused.reveal()
      const stored = await store.read(call.deadline)
      // Nothing renews it, and no other process has put another one in its place.
      if (stored && !stored.tokens.refreshToken && !isOther(stored)) return undefined
      const signIn = await renew(isOther)
      if (isOther(signIn)) return take(signIn)
      // The provider has refused the renewal, so that the sign-in itself has ended.
      if (!(await store.read(call.deadline))?.tokens.refreshToken)
        throw toSignInRequired('the sign-in has ended at the provider, and its token is refused')
      return undefined
    },
  }
}

function findToken({ tokens }: StoredSignIn, { bearerTokenType }: OidcSettings): Secret | undefined {
  return bearerTokenType === 'id_token' ? tokens.idToken : tokens.accessToken
}

function requireToken(signIn: StoredSignIn, settings: OidcSettings): Secret {
  const token = findToken(signIn, settings)
  if (token) return token
  throw toSignInRequired('the sign-in gave no token of the kind that is exchanged')
}

function toSignInRequired(message: string): HelperError {
  return new HelperError('sign-in-required', message, 'sign in again')
}
