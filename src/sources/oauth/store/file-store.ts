// Keeps a sign-in in an encrypted file; `sign-in-store.ts` declares what every store does.

import type { Deadline } from '../../../runtime/deadline.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { changeUnderLock } from '../../../runtime/files/change-under-lock.ts'
import { openLock } from '../../../runtime/files/file-lock.ts'
import type { KeychainHost, KeychainPrompt } from '../../keychain/keychain.ts'
import { describeProvider } from '../oidc/describe-provider.ts'
import type { OidcSettings } from '../oidc/oidc-settings.ts'
import { locateStore, type StoreHost } from './locate-store.ts'
import { openKey } from './open-key.ts'
import { createStoreDirectory, removeStoreFiles, toStoreFailure, writeStoreFile } from './private-files.ts'
import { type KeptSignIn, readSealedSignIn, restoreDraft } from './read-sign-in.ts'
import {
  createHeldLocation,
  type KeyName,
  prepareKey,
  removeKey,
  type SealedLocation,
  type StoreFiles,
} from './sealed-location.ts'
import { renderSealedSignIn } from './sealed-sign-in.ts'
import type { SignInStore, StoreChange, StoredSignIn } from './sign-in-store.ts'

/** Creates a store of one sign-in in an encrypted file, which only this user can read and which is complete at every moment. */
export function createFileStore(settings: OidcSettings, parts: FileStoreParts): SignInStore {
  const { host, warn, refreshTokens, keyName = 'file', prompt = 'never' } = parts
  const files = locateStore(settings, host)
  const store: OpenStore = {
    files,
    keyName,
    warn,
    location: { files, keyName, openKey: (name) => openKey(name, settings, { host, files, prompt }) },
    otherRun: `another run that changes the sign-in to ${describeProvider(settings)}`,
    restrict: (signIn) => (refreshTokens === 'none' ? withoutRefreshToken(signIn) : signIn),
    warnOnce: createOnceWarning(warn),
  }
  return {
    read: (deadline) => readRestricted(store, deadline),
    prepare: async (deadline) => {
      const find = async () => undefined
      await runUnderLock(store, deadline, (held) => checkRoom(held, deadline), find)
    },
    change: (deadline, change) => changeSignIn(store, deadline, change),
  }
}

interface FileStoreParts {
  readonly host: StoreHost & KeychainHost
  /** `none`: only tokens that expire are stored, and no refresh token. */
  readonly refreshTokens: 'none' | 'kept'
  /** The location of the key; by default a separate file. */
  readonly keyName?: KeyName
  /** Whether a keychain may ask a person; by default `never`. */
  readonly prompt?: KeychainPrompt
  warn(message: string): void
}

/** The parts of a store that every operation uses. */
interface OpenStore {
  readonly files: StoreFiles
  readonly location: SealedLocation
  readonly keyName: KeyName
  /** Names the run that holds the lock, for messages. */
  readonly otherRun: string
  /** Removes what the settings do not allow to be stored. */
  restrict(signIn: StoredSignIn): StoredSignIn
  warn(message: string): void
  warnOnce(message: string): void
}

async function changeSignIn(
  store: OpenStore,
  deadline: Deadline,
  { make, isEnough }: StoreChange,
): Promise<StoredSignIn | undefined> {
  const find = async () => {
    const { signIn: found } = isEnough ? await readAll(store, store.location, deadline) : {}
    const signIn = found && store.restrict(found)
    return signIn && isEnough?.(signIn) ? { signIn } : undefined
  }
  const applyNow = async (held: SealedLocation) => ({ signIn: await applyChange(store, held, deadline, make) })
  const result = await runUnderLock(store, deadline, applyNow, find)
  return result?.signIn
}

/** Computes the next sign-in from the stored one and stores it, or removes both. The caller must hold the lock. */
async function applyChange(
  store: OpenStore,
  held: SealedLocation,
  deadline: Deadline,
  make: StoreChange['make'],
): Promise<StoredSignIn | undefined> {
  const { files, keyName, restrict, warn } = store
  const { signIn: found, keyName: foundKey } = await readAll(store, held, deadline)
  let replaced = found
  const keep = async (signIn: StoredSignIn) => {
    replaced = await writeSignIn(restrict(signIn), { sealed: held, replaced, deadline })
  }
  // Checked before a refresh token is used up, because its successor has to be stored.
  if (found && foundKey !== keyName) await prepareKey(held, deadline)
  const next = await make(found && restrict(found), keep)
  if (next === undefined) return replaced && restrict(replaced)
  if (next !== 'forget') {
    await keep(next)
    if (foundKey && foundKey !== keyName) await removeKey(held, foundKey, deadline, warn)
    return replaced
  }
  await removeStoreFiles([files.draft, files.sealed], deadline)
  for (const name of new Set(['file', keyName, foundKey ?? keyName] as const))
    await removeKey(held, name, deadline, warn)
  return undefined
}

function runUnderLock<T>(
  { files, location, otherRun }: OpenStore,
  deadline: Deadline,
  make: (held: SealedLocation) => Promise<T>,
  find: () => Promise<T | undefined>,
) {
  const runRestored = async () => {
    const held = createHeldLocation(location)
    await restoreDraft(held, deadline)
    return make(held)
  }
  const lock = { path: files.lock, open: () => openStoreLock(files, deadline) }
  return changeUnderLock(lock, deadline, { otherRun, whenBusy: 'wait', find, make: runRestored })
}

async function openStoreLock({ directory, lock }: StoreFiles, deadline: Deadline) {
  await createStoreDirectory(directory, deadline)
  return openLock(lock).catch((error: unknown) => {
    throw toStoreFailure(lock, error)
  })
}

function withoutRefreshToken(signIn: StoredSignIn): StoredSignIn {
  const { refreshToken, ...tokens } = signIn.tokens
  return refreshToken ? { ...signIn, tokens } : signIn
}

function createOnceWarning(warn: (message: string) => void): (message: string) => void {
  let hasWarned = false
  return (message) => {
    if (!hasWarned) warn(message)
    hasWarned = true
  }
}

async function readRestricted(store: OpenStore, deadline: Deadline): Promise<StoredSignIn | undefined> {
  const { signIn: found, keyName: foundKey } = await readAll(store, store.location, deadline)
  const kept = found && store.restrict(found)
  // The sign-in was stored under other settings.
  if (kept !== found || (found && foundKey !== store.keyName))
    await changeSignIn(store, deadline, { make: async (current) => current }).catch(createErrorWarning(store.warn))
  return kept
}

/** Reads the file's sign-in and the location of its key, whatever the settings are now. */
async function readAll(
  { files, warnOnce }: Pick<OpenStore, 'files' | 'warnOnce'>,
  sealed: SealedLocation,
  deadline: Deadline,
): Promise<Partial<KeptSignIn>> {
  const found = await readSealedSignIn(sealed, deadline)
  if (!found || !('problem' in found)) return found ?? {}
  warnOnce(`${files.sealed} ${found.problem}: nobody counts as signed in, and the next sign-in replaces it`)
  return { keyName: found.keyName }
}

function createErrorWarning(warn: (message: string) => void): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof HelperError)) throw error
    warn(error.message)
  }
}

/**
 * Replaces the stored sign-in. If that fails, as on a full disk, the previous file is removed first to make room for a renewed sign-in:
 * a used refresh token must not be sent again, because the provider may then end the whole sign-in (RFC 9700, section 4.14.2).
 * @throws {HelperError} `not-configured` if it cannot be stored; `late`.
 */
async function writeSignIn(signIn: StoredSignIn, { sealed, replaced, deadline }: Writing): Promise<StoredSignIn> {
  const { files, keyName, openKey } = sealed
  const target = { path: files.sealed, draft: files.draft }
  const key = await openKey(keyName)
  const value = (await key.read(deadline)) ?? (await key.create(deadline))
  const text = renderSealedSignIn(signIn, files.purpose, { value, name: keyName })
  try {
    await writeStoreFile(target, text, deadline)
  } catch (error) {
    if (!isRenewed(replaced, signIn)) throw error
    await removeStoreFiles([files.sealed], deadline)
    await writeStoreFile(target, text, deadline)
  }
  return signIn
}

/** The file of a sign-in that is written, and the sign-in that it replaces. */
interface Writing {
  readonly sealed: SealedLocation
  readonly replaced: StoredSignIn | undefined
  readonly deadline: Deadline
}

/** Returns whether this is a renewal of the replaced sign-in, which has another refresh token or another time of renewal. */
function isRenewed(replaced: StoredSignIn | undefined, signIn: StoredSignIn): boolean {
  const [before, after] = [replaced, signIn].map((each) => each?.tokens.refreshToken?.reveal())
  return replaced?.id === signIn.id && (before !== after || replaced.renewedAt !== signIn.renewedAt)
}

/** In bytes: more than any known sign-in. Our decision. */
const roomBytes = 32_768

/**
 * Creates the key if it does not exist, and checks that a file as large as a sign-in can be written. The caller must hold the lock.
 * @throws {HelperError} `not-configured` if nothing can be stored; `late`.
 */
async function checkRoom(location: SealedLocation, deadline: Deadline): Promise<void> {
  await prepareKey(location, deadline)
  const { files } = location
  // Written under the name of the draft, so that the next writer removes what a killed process leaves.
  const target = { path: files.draft, draft: files.draft }
  await writeStoreFile(target, ' '.repeat(roomBytes), deadline)
  await removeStoreFiles([files.draft], deadline)
}
