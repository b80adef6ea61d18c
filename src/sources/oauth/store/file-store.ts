import type { Deadline } from '../../../runtime/deadline.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { changeUnderLock } from '../../../runtime/private/change-under-lock.ts'
import { openLock } from '../../../runtime/private/file-lock.ts'
import type { KeychainPrompt } from '../../keychain/keychain.ts'
import type { KeychainHost } from '../../keychain/keychain-host.ts'
import { describeProvider } from '../oidc/describe-provider.ts'
import type { OidcSettings } from '../oidc/settings.ts'
import { locateStore, type StoreHost } from './locate-store.ts'
import { readSignInId } from './read-id.ts'
import { type KeptSignIn, readSealedSignIn, restoreDraft } from './read-sign-in.ts'
import { openKey } from './sealing/open-key.ts'
import { createStoreDirectory, removeStoreFiles, toStoreFailure } from './sealing/private-files.ts'
import { createHeldPlace, type KeyName, prepareKey, removeKey, type SealedPlace } from './sealing/sealed-place.ts'
import type { StoreFiles } from './sealing/store-files.ts'
import type { SignInStore, StoreChange, StoredSignIn } from './sign-in-store.ts'
import { checkRoom, writeSignIn } from './write-sign-in.ts'

/** How a store in a file is used. */
export interface FileStoreParts {
  readonly host: StoreHost & KeychainHost
  /** `none`: tokens are kept until they expire, and nothing that could renew them. */
  readonly refreshTokens: 'none' | 'kept'
  /** Where its key has to be; without it, in a file of its own. */
  readonly keyName?: KeyName
  /** Whether a keychain may ask a person; without it, `never`. */
  readonly prompt?: KeychainPrompt
  warn(message: string): void
}

/** A store of one sign-in in a sealed file, for this user alone, and whole at every moment. */
export function createFileStore(settings: OidcSettings, parts: FileStoreParts): SignInStore {
  const { host, warn, refreshTokens, keyName = 'file', prompt = 'never' } = parts
  const files = locateStore(settings, host)
  const place: SealedPlace = { files, keyName, openKey: (name) => openKey(name, settings, { host, files, prompt }) }
  const otherRun = `another run that changes the sign-in to ${describeProvider(settings)}`
  const restrict = (signIn: StoredSignIn) => (refreshTokens === 'none' ? withoutRefreshToken(signIn) : signIn)
  const warnOnce = createWarning(warn)

  /** What the file holds, whatever the settings are now, and where its key is. */
  async function readAll(sealed: SealedPlace, deadline: Deadline): Promise<Partial<KeptSignIn>> {
    const found = await readSealedSignIn(sealed, deadline)
    if (!found || !('problem' in found)) return found ?? {}
    warnOnce(`${files.sealed} ${found.problem}: nobody counts as signed in, and the next sign-in replaces it`)
    return { keyName: found.keyName }
  }

  function underLock<T>(
    deadline: Deadline,
    make: (held: SealedPlace) => Promise<T>,
    find: () => Promise<T | undefined>,
  ) {
    const makeNow = async () => {
      const held = createHeldPlace(place)
      await restoreDraft(held, deadline)
      return make(held)
    }
    const lock = { path: files.lock, open: () => openStoreLock(files, deadline) }
    return changeUnderLock(lock, deadline, { otherRun, whenBusy: 'wait', find, make: makeNow })
  }

  /** What `make` gives is not given up: it may be the successor of a token that can be used once. */
  async function makeAndKeep(held: SealedPlace, deadline: Deadline, make: StoreChange['make']) {
    const { signIn: found, keyName: foundKey } = await readAll(held, deadline)
    const current = found && restrict(found)
    // Before a refresh token is used up, whose successor could not be kept.
    if (found && foundKey !== keyName) await prepareKey(held, deadline)
    const next = await make(current)
    if (next === undefined) return current
    const { whole } = deadline
    if (next !== 'forget') {
      const written = await writeSignIn(restrict(next), { sealed: held, replaced: found, deadline: whole })
      if (foundKey && foundKey !== keyName) await removeKey(held, foundKey, whole, warn)
      return written
    }
    await removeStoreFiles([files.draft, files.sealed], whole)
    for (const name of new Set(['file', keyName, foundKey ?? keyName] as const))
      await removeKey(held, name, whole, warn)
    return undefined
  }

  async function change(deadline: Deadline, { make, isEnough }: StoreChange): Promise<StoredSignIn | undefined> {
    const find = async () => {
      const { signIn: found } = isEnough ? await readAll(place, deadline) : {}
      const signIn = found && restrict(found)
      return signIn && isEnough?.(signIn) ? { signIn } : undefined
    }
    const makeNow = async (held: SealedPlace) => ({ signIn: await makeAndKeep(held, deadline, make) })
    const result = await underLock(deadline, makeNow, find)
    return result?.signIn
  }

  return {
    readId: () => readSignInId(settings, host),
    read: async (deadline) => {
      const { signIn: found, keyName: foundKey } = await readAll(place, deadline)
      const kept = found && restrict(found)
      // It was kept under other settings, which no longer count.
      if (kept !== found || (found && foundKey !== keyName))
        await change(deadline, { make: async (current) => current }).catch(warnOf(warn))
      return kept
    },
    prepare: async (deadline) => {
      const find = async () => undefined
      await underLock(deadline, (held) => checkRoom(held, deadline), find)
    },
    change,
  }
}

async function openStoreLock({ directory, lock }: StoreFiles, deadline: Deadline) {
  await createStoreDirectory(directory, deadline)
  return openLock(lock).catch((error: unknown) => {
    throw toStoreFailure(lock, error)
  })
}

function createWarning(warn: (message: string) => void): (message: string) => void {
  let hasWarned = false
  return (message) => {
    if (!hasWarned) warn(message)
    hasWarned = true
  }
}

function warnOf(warn: (message: string) => void): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof HelperError)) throw error
    warn(error.message)
  }
}

function withoutRefreshToken(signIn: StoredSignIn): StoredSignIn {
  const { refreshToken, ...tokens } = signIn.tokens
  return refreshToken ? { ...signIn, tokens } : signIn
}
