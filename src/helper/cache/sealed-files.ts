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

/** The key of all entries of this user, in the system's keychain. */
export async function openCacheKey(host: KeychainHost, { context }: Pick<Call, 'context'>): Promise<SealingKey> {
  const prompt = isPromptAllowed(context) ? 'allowed' : 'never'
  return createKeychainKey(await openKeychain(host, prompt, 'set cache to disk or none'), {
    service: 'cache',
    account: 'tokens',
    label: 'Gatepass: key of the token cache',
  })
}

/**
 * Entries that are sealed with a key of the keychain. It is asked once in a run. One run at a time makes the key. What an earlier
 * setting has left in the clear is not read, and is removed.
 * @param when `early` asks while the entry is read, whether or not there is one: runs that wait for each other's mint then wait for
 * a keychain that hangs side by side, and not one after the other under the lock. `on-use` is for contexts in which a person may
 * be asked, who must not see a dialog for nothing.
 */
export function createSealedFiles(
  key: SealingKey,
  { deadline }: Pick<Call, 'deadline'>,
  when: 'early' | 'on-use' = 'on-use',
): EntryFiles {
  let asked: Promise<KeyObject | undefined> | undefined
  let isFirst = when === 'early'
  /** Keeps a key, and a failure: a keychain that hangs is waited for once. That there is none yet may change. */
  const readKey = async (): Promise<KeyObject | undefined> => {
    asked ??= key.read(deadline)
    const found = await asked
    if (!found) asked = undefined
    return found
  }
  /** Once, because a run that waits for another one reads the entry many times. */
  const askEarly = () => {
    if (isFirst) readKey().catch(() => undefined) // reported by the one who needs the key
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

/** Reads the sealed entry from its file, after removing an entry in the clear; `undefined` if there is no sealed one. */
function readSealedText(location: EntryLocation): Promise<string | undefined> {
  const path = toCacheFilePath(location, 'sealed')
  return attemptUnlessMissing(removeUnsealed(location).then(() => readCacheFile(path)))
}

/** Removes an entry that stands in the clear. */
async function removeUnsealed(location: EntryLocation): Promise<void> {
  await refuseSharedDirectory(location.directory)
  await clearFile(toCacheFilePath(location, 'entry'))
}

/** Under a lock of its own, because runs for other tokens hold other locks. */
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
