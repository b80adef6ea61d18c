import type { KeyObject } from 'node:crypto'
import { isPromptAllowed } from '../../contract/context.ts'
import { attemptUnlessMissing } from '../../runtime/disk.ts'
import { changeUnderLock } from '../../runtime/files/change-under-lock.ts'
import { openLock } from '../../runtime/files/file-lock.ts'
import {
  createCacheDirectory,
  readCacheFile,
  refuseSharedDirectory,
  UnsafeCacheError,
} from '../../runtime/files/private-files.ts'
import type { KeychainHost } from '../../sources/keychain/keychain.ts'
import { createKeychainKey, type SealingKey } from '../../sources/keychain/keychain-key.ts'
import { openKeychain } from '../../sources/keychain/open-keychain.ts'
import type { Call } from '../define-helper.ts'
import { clearFile, type EntryLocation, toCacheFilePath } from './cache-files.ts'
import { writeEntryText } from './entry.ts'
import { parseSealedEntry, renderSealedEntry } from './sealed-entry.ts'
import type { EntryFiles } from './store.ts'

/** Opens the key that encrypts all of this user's entries, in the system's keychain. */
export async function openCacheKey(host: KeychainHost, { context }: Pick<Call, 'context'>): Promise<SealingKey> {
  const prompt = isPromptAllowed(context) ? 'allowed' : 'never'
  return createKeychainKey(await openKeychain(host, prompt, 'set cache to disk or none'), {
    service: 'cache',
    account: 'tokens',
    label: 'Gatepass: key of the token cache',
  })
}

/**
 * Creates files in which entries are encrypted with a key from the keychain. A run reads the key once, and only one run at a time creates
 * it. An entry in the clear, from an earlier setting of `cache`, is removed without being read.
 * @param when `early` reads the key while the entry is read, even if there is no entry: if the keychain hangs, runs that wait for each
 * other's mint then wait for the keychain at the same time, and not one after the other under the lock. `on-use` is for contexts in which
 * the keychain may show a dialog, which must not appear without need.
 */
export function createSealedFiles(
  key: SealingKey,
  { deadline }: Pick<Call, 'deadline'>,
  when: 'early' | 'on-use' = 'on-use',
): EntryFiles {
  let asked: Promise<KeyObject | undefined> | undefined
  let isFirst = when === 'early'
  /**
   * Keeps a key, and also a failure, so that a run waits only once for a keychain that hangs. That no key exists is not kept, because
   * another run may create one.
   */
  const readKey = async (): Promise<KeyObject | undefined> => {
    asked ??= key.read(deadline)
    const found = await asked
    if (!found) asked = undefined
    return found
  }
  /** Asks only once, because a run that waits for another one reads the entry many times. */
  const askEarly = () => {
    if (isFirst) readKey().catch(() => undefined) // reported when the key is needed
    isFirst = false
  }
  return {
    read: async (location) => {
      askEarly()
      const path = toCacheFilePath(location, 'sealed')
      const text = await readSealedText(location)
      if (text === undefined) return undefined
      const found = await readKey()
      const entry = found && parseSealedEntry(text, found, location)
      if (!entry)
        throw new UnsafeCacheError(
          `${path} cannot be opened with the key ${key.where}; it is replaced by the next token`,
        )
      return entry
    },
    write: async (location, entry) => {
      const found = (await readKey()) ?? (await createKey(key, location, { deadline }))
      asked = Promise.resolve(found)
      await writeEntryText(location, renderSealedEntry(entry, found, location), 'sealed')
    },
  }
}

/** Reads the encrypted entry, and first removes an entry in the clear; `undefined` if the file is missing. */
function readSealedText(location: EntryLocation): Promise<string | undefined> {
  const path = toCacheFilePath(location, 'sealed')
  return attemptUnlessMissing(removeUnsealed(location).then(() => readCacheFile(path)))
}

/** Removes an entry in the clear, after checking that no other user can create files in the directory. */
async function removeUnsealed(location: EntryLocation): Promise<void> {
  await refuseSharedDirectory(location.directory)
  await clearFile(toCacheFilePath(location, 'entry'))
}

/** Creates the key under a lock of its own, because runs for other tokens hold other locks. */
async function createKey(
  key: SealingKey,
  { directory }: EntryLocation,
  { deadline }: Pick<Call, 'deadline'>,
): Promise<KeyObject> {
  const path = toCacheFilePath({ directory, program: 'cache', key: 'key' }, 'lock')
  const open = async () => {
    await createCacheDirectory(directory)
    return openLock(path)
  }
  const made = await changeUnderLock({ path, open }, deadline, {
    otherRun: 'another run that makes the key of the token cache',
    whenBusy: 'wait',
    find: () => key.read(deadline),
    make: async () => (await key.read(deadline)) ?? key.create(deadline),
  })
  if (!made) throw new UnsafeCacheError(`${key.where} kept no key`)
  return made
}
