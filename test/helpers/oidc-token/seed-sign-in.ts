import { randomUUID } from 'node:crypto'
import { requireArguments } from '../../../src/helper/options/arguments.ts'
import { commonOptions } from '../../../src/helper/options/every-helper-options.ts'
import { resolveOptions, toValues } from '../../../src/helper/options/resolve-options.ts'
import { Deadline } from '../../../src/runtime/deadline.ts'
import { digestToken } from '../../../src/runtime/digest.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import type { StoredSignIn } from '../../../src/sources/oauth/store/sign-in-store.ts'
import { createStore } from '../../../src/sources/oidc-token/create-store.ts'
import { type OidcTokenCallOptions, oidcTokenOptions } from '../../../src/sources/oidc-token/oidc-token-options.ts'
import { toOidcSettings } from '../../../src/sources/oidc-token/to-settings.ts'
import { testHost } from '../../setup/test-host.ts'

export const program = 'oidc-token'

/** The tokens of a made-up sign-in; nobody looks at their signatures any more. */
export interface SeededTokens {
  readonly idToken?: string
  readonly accessToken?: string
  readonly refreshToken?: string
  /** From now on, in seconds. */
  readonly lifeSec?: number
  /** The level of authentication that the provider requires of the next sign-in (RFC 9470). */
  readonly challenge?: StoredSignIn['challenge']
  /** How long a client had held the ID token, in seconds, when the gateway refused it. */
  readonly refusedAfterSec?: number
  /** How long ago the person signed in, in seconds. */
  readonly ageSec?: number
}

/** Keeps a sign-in where a run with these arguments finds it, as if a person had signed in. */
export async function seedSignIn(home: string, argv: readonly string[], tokens: SeededTokens): Promise<void> {
  const { idToken, accessToken, refreshToken, lifeSec, challenge, refusedAfterSec, ageSec = 0 } = tokens
  const table = { ...commonOptions, ...oidcTokenOptions }
  const resolved = resolveOptions(program, table, { arguments: await requireArguments(program, table, argv) })
  const options = toValues<OidcTokenCallOptions>(resolved)
  const now = Date.now()
  const clock = { now: () => now, startedAt: now, elapsedMs: () => 0 }
  const host = await testHost({ home, clock })
  const store = createStore(toOidcSettings(options, program), options, {
    host,
    call: { warn: fail, context: 'background' },
  })
  const toSecret = (text: string | undefined) => (text === undefined ? undefined : new Secret(text))
  const issued = {
    idToken: toSecret(idToken),
    accessToken: toSecret(accessToken),
    refreshToken: toSecret(refreshToken),
    expiresAt: lifeSec === undefined ? undefined : new Date(now + lifeSec * 1000),
  }
  const refused =
    refusedAfterSec === undefined || !issued.idToken
      ? undefined
      : { digest: digestToken(issued.idToken), at: now, heldSec: refusedAfterSec }
  const signIn = { id: randomUUID(), since: now - ageSec * 1000, subject: 'dana', tokens: issued, challenge, refused }
  await store.change(new Deadline({ seconds: 60, hint: '' }, clock), { make: async () => signIn })
}

function fail(message: string): never {
  throw new Error(message)
}

/** Returns a JWT with these claims and no signature. */
export function toUnsignedJwt(claims: object): string {
  const parts = [{ alg: 'RS256' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  return [...parts, 'c2lnbmF0dXJl'].join('.')
}
