import { HelperError } from '../../../../src/runtime/failure.ts'
import { Secret } from '../../../../src/runtime/secret.ts'
import type { IssuedTokens, OidcProvider } from '../../../../src/sources/oauth/oidc/provider.ts'
import { InvalidGrantError } from '../../../../src/sources/oauth/oidc/renewal-errors.ts'
import { toSignIn } from './plain-sign-in.ts'

export const away = new HelperError('unavailable', 'login.example cannot be reached', 'try again')
export const invalidGrant = new InvalidGrantError(
  'sign-in-required',
  'login.example ended the sign-in',
  'sign in again',
)

/** An answer that fails its checks, and the refresh token in it. */
interface FaultyAnswer {
  readonly faulty: Error
  readonly successor: string
}

/** The provider's answers to each refresh token, the last again and again; without an answer it takes it no more. */
type Answers = Readonly<Record<string, readonly (IssuedTokens | FaultyAnswer | Error)[]>>

/** Creates a provider that says what a test says, and what it was asked in which order. */
export function createProvider(answers: Answers, revocation: 'revoked' | 'not offered' | Error = 'revoked') {
  const asked: string[] = []
  const provider: OidcProvider = {
    metadata: {},
    refresh: async (refreshToken, _, keep) => {
      asked.push(refreshToken.reveal())
      const times = asked.filter((token) => token === refreshToken.reveal()).length
      const given = answers[refreshToken.reveal()] ?? [invalidGrant]
      const answer = given[Math.min(times, given.length) - 1] ?? invalidGrant
      if (answer instanceof Error) throw answer
      await keep('faulty' in answer ? new Secret(answer.successor) : (answer.refreshToken ?? refreshToken))
      if ('faulty' in answer) throw answer.faulty
      return answer
    },
    revoke: async (token, kind) => {
      asked.push(`revoke ${kind} ${token.reveal()}`)
      if (revocation instanceof Error) throw revocation
      return revocation
    },
  }
  return { asked, open: async () => provider }
}

/** Returns the tokens of a renewal, without a refresh token where the provider does not rotate it. */
export function toTokens(number: number, rotation: 'rotated' | 'kept' = 'rotated'): IssuedTokens {
  const { refreshToken, ...tokens } = toSignIn(number).tokens
  return rotation === 'rotated' ? { ...tokens, refreshToken: new Secret(`refresh-${number}`) } : tokens
}
