import { HelperError } from '../../../../src/runtime/failure.ts'
import { Secret } from '../../../../src/runtime/secret.ts'
import { InvalidGrantError } from '../../../../src/sources/oauth/oidc/invalid-grant.ts'
import type { OidcProvider } from '../../../../src/sources/oauth/oidc/provider.ts'
import type { IssuedTokens } from '../../../../src/sources/oauth/oidc/tokens.ts'
import { toSignIn } from './plain-sign-in.ts'

export const away = new HelperError('unavailable', 'login.example cannot be reached', 'try again')
export const invalidGrant = new InvalidGrantError(
  'sign-in-required',
  'login.example ended the sign-in',
  'sign in again',
)

/** What a provider answers to each refresh token, the last again and again; without an answer it takes it no more. */
type Answers = Readonly<Record<string, readonly (IssuedTokens | Error)[]>>

/** A provider that says what a test says, and what it was asked in which order. */
export function createProvider(answers: Answers, revocation: 'revoked' | 'not offered' | Error = 'revoked') {
  const asked: string[] = []
  const provider: OidcProvider = {
    metadata: {},
    refresh: async (refreshToken) => {
      asked.push(refreshToken.reveal())
      const times = asked.filter((token) => token === refreshToken.reveal()).length
      const given = answers[refreshToken.reveal()] ?? [invalidGrant]
      const answer = given[Math.min(times, given.length) - 1] ?? invalidGrant
      if (answer instanceof Error) throw answer
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

/** The tokens of a renewal, without a refresh token where the provider does not rotate it. */
export function toTokens(number: number, rotation: 'rotated' | 'kept' = 'rotated'): IssuedTokens {
  const { refreshToken, ...tokens } = toSignIn(number).tokens
  return rotation === 'rotated' ? { ...tokens, refreshToken: new Secret(`refresh-${number}`) } : tokens
}
