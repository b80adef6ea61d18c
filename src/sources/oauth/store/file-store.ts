import type { Deadline } from '../../../runtime/deadline.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { changeUnderLock } from '../../../runtime/private/change-under-lock.ts'
import { openLock } from '../../../runtime/private/file-lock.ts'
import type { SealingKey } from '../../keychain/sealing/sealing-key.ts'
import { describeProvider } from '../oidc/describe-provider.ts'
import type { OidcSettings } from '../oidc/settings.ts'
import { locateStore, type StoreFiles, type StoreHost } from './locate-store.ts'
import { readSignInId } from './read-id.ts'
import { readSealedSignIn, restoreDraft } from './read-sign-in.ts'
import { createFileKey } from './sealing/file-key.ts'
import { createStoreDirectory, removeStoreFiles, toStoreFailure } from './sealing/private-files.ts'
import type { SignInStore, StoreChange, StoredSignIn } from './sign-in-store.ts'
import { checkRoom, writeSignIn } from './write-sign-in.ts'

/** How a store in a file is used. */
export interface FileStoreParts {
  readonly host: StoreHost
  /** `none`: tokens are kept until they expire, and nothing that could renew them. */
  readonly refreshTokens: 'none' | 'kept'
  warn(message: string): void
  /** Where the key is; without it, in a file of its own. */
  readonly key?: SealingKey
}

/** A store of one sign-in in a sealed file, for this user alone, and whole at every moment. */
export function createFileStore(settings: OidcSettings, parts: FileStoreParts): SignInStore {
  const { host, warn, refreshTokens } = parts
  const files = locateStore(settings, host)
  const sealed = { files, key: parts.key ?? createFileKey(files) }
  const otherRun = `another run that changes the sign-in to ${describeProvider(settings)}`
  const restrict = (signIn: StoredSignIn) => (refreshTokens === 'none' ? withoutRefreshToken(signIn) : signIn)
  const warnOnce = createWarning(warn)

  /** What the file holds, whatever the settings are now. */
  async function readAll(deadline: Deadline): Promise<StoredSignIn | undefined> {
    const found = await readSealedSignIn(sealed, deadline)
    if (!found || !('problem' in found)) return found
    warnOnce(`${files.sealed} ${found.problem}: nobody counts as signed in, and the next sign-in replaces it`)
    return undefined
  }

  function underLock<T>(deadline: Deadline, make: () => Promise<T>, find: () => Promise<T | undefined>) {
    const makeNow = async () => {
      await restoreDraft(sealed, deadline)
      return make()
    }
    const lock = { path: files.lock, open: () => openStoreLock(files, deadline) }
    return changeUnderLock(lock, deadline, { otherRun, whenBusy: 'wait', find, make: makeNow })
  }

  async function makeAndKeep(deadline: Deadline, make: StoreChange['make']): Promise<StoredSignIn | undefined> {
    const current = await readAll(deadline)
    const next = await make(current && restrict(current))
    if (next === undefined) return current && restrict(current)
    if (next !== 'forget') return writeSignIn(restrict(next), { sealed, replaced: current, deadline })
    await removeStoreFiles([files.draft, files.sealed], deadline)
    await sealed.key.forget(deadline)
    return undefined
  }

  async function change(deadline: Deadline, { make, isEnough }: StoreChange): Promise<StoredSignIn | undefined> {
    const find = async () => {
      const current = isEnough && (await readAll(deadline))
      const signIn = current && restrict(current)
      return signIn && isEnough?.(signIn) ? { signIn } : undefined
    }
    const result = await underLock(deadline, async () => ({ signIn: await makeAndKeep(deadline, make) }), find)
    return result?.signIn
  }

  return {
    readId: () => readSignInId(settings, host),
    read: async (deadline) => {
      const found = await readAll(deadline)
      const kept = found && restrict(found)
      // It was kept under other settings, which no longer count.
      if (kept !== found) await change(deadline, { make: async (current) => current }).catch(warnOf(warn))
      return kept
    },
    prepare: async (deadline) => {
      const find = async () => undefined
      await underLock(deadline, () => checkRoom(sealed, deadline), find)
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
