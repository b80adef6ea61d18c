import { Deadline } from '../../../../src/runtime/deadline.ts'
import type { Secret } from '../../../../src/runtime/secret.ts'
import { createFileStore } from '../../../../src/sources/oauth/store/file-store.ts'
import { locateStore, readSignInHeader } from '../../../../src/sources/oauth/store/locate-store.ts'
import type { SignInStore, StoredSignIn } from '../../../../src/sources/oauth/store/sign-in-store.ts'
import { testHost } from '../../../setup/test-host.ts'
import { settings } from './plain-sign-in.ts'

/** A deadline that never comes, by a clock on which no pause takes time. */
export const deadline = new Deadline({ seconds: 30, hint: 'h' }, { elapsedMs: () => 0, pause: async () => {} })

/** Returns the same with its secrets, so that two can be compared. */
export function toPlain(signIn: StoredSignIn | undefined) {
  const { idToken, accessToken, refreshToken, ...rest } = signIn?.tokens ?? {}
  const reveal = (secret: Secret | undefined) => secret?.reveal()
  return signIn && { ...signIn, tokens: { ...rest, secrets: [idToken, accessToken, refreshToken].map(reveal) } }
}

/** Starts a store in a home directory of the test's own. */
export async function startStore(parts: Partial<Parameters<typeof createFileStore>[1]> = {}) {
  const host = parts.host ?? (await testHost())
  const warnings: string[] = []
  const warn = (message: string) => void warnings.push(message)
  const store = createFileStore(settings, { host, refreshTokens: 'kept', warn, ...parts })
  const readId = async () => (await readSignInHeader(settings, host))?.id
  return { store, host, warnings, readId, files: locateStore(settings, host) }
}

/** Keeps a sign-in, whatever was there. */
export function keep(store: SignInStore, signIn: StoredSignIn | 'forget'): Promise<StoredSignIn | undefined> {
  return store.change(deadline, { make: async () => signIn })
}
