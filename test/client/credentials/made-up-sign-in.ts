import type { OpenSignIn, SignInResult } from '../../../src/client/credentials/client-sign-in.ts'
import { type FailureKind, HelperError } from '../../../src/runtime/failure.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import type { OidcSettings } from '../../../src/sources/oauth/oidc/oidc-settings.ts'

/** The answers of a made-up provider, and the requests that it got. Tokens are numbered over all registrations. */
interface MadeUpProvider {
  readonly openSignIn: OpenSignIn
  /** Settings of every sign-in that was opened. */
  readonly opened: OidcSettings[]
  /** Every sign-in and renewal, with its registration. */
  readonly asked: string[]
  lifeSec: number | undefined
  isRenewable: boolean
  /** Answers wait for it. */
  delay: Promise<unknown>
  /** The failure of the next sign-ins and renewals. */
  failure: HelperError | undefined
}

/** Creates sign-ins without a provider, a browser and a person. */
export function createMadeUpProvider(): MadeUpProvider {
  let tokens = 0
  const provider: MadeUpProvider = {
    openSignIn: (settings) => {
      provider.opened.push(settings)
      const ask = async (what: string): Promise<SignInResult> => {
        provider.asked.push(`${what} ${settings.clientId}`)
        await provider.delay
        await new Promise((resolve) => setTimeout(resolve, 5))
        const { failure, lifeSec, isRenewable } = provider
        if (failure) return { ok: false, failure, durationMs: 0 }
        tokens += 1
        return { ok: true, token: new Secret(`token-${tokens}`), lifeSec, isRenewable, durationMs: 0 }
      }
      return { signIn: () => ask('sign-in'), renew: () => ask('renewal') }
    },
    opened: [],
    asked: [],
    lifeSec: 3600,
    isRenewable: true,
    delay: Promise.resolve(),
    failure: undefined,
  }
  return provider
}

/** Returns a failure of a provider, by its kind. */
export function failWith(kind: FailureKind, message: string): HelperError {
  return new HelperError(kind, message, 'start again')
}
