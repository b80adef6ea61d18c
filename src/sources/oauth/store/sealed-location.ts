// Holds the places of an encrypted sign-in and of its key, and creates and removes the key.

import type { Deadline } from '../../../runtime/deadline.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { SealingKey } from '../../keychain/keychain-key.ts'

/** The locations of a sign-in's key. Each file names that of its own. */
export type KeyName = 'file' | 'keychain'

/** The locations of an encrypted sign-in and its key. */
export interface SealedLocation {
  readonly files: StoreFiles
  /** The configured location of the key. A sign-in that was encrypted with another key is encrypted again. */
  readonly keyName: KeyName
  openKey(name: KeyName): Promise<SealingKey>
}

/** The files of one sign-in. The key is in another directory, so that a copy of one directory is useless. */
export interface StoreFiles {
  readonly name: string
  /** The purpose with which the file is encrypted, so that it cannot be opened as the file of another sign-in. */
  readonly purpose: string
  readonly directory: string
  readonly sealed: string
  /** The sealed file while it is being written. */
  readonly draft: string
  readonly lock: string
  readonly keyDirectory: string
  readonly key: string
  /** The key while it is being written. */
  readonly keyDraft: string
}

/**
 * Returns the location for the holder of the lock, with a key that is read once: a renewed refresh token must not be lost because the
 * keychain was locked meanwhile.
 */
export function createHeldLocation(location: SealedLocation): SealedLocation {
  const opened = new Map<KeyName, Promise<SealingKey>>()
  return {
    ...location,
    openKey: (name) => {
      const key = opened.get(name) ?? location.openKey(name).then(createHeldKey)
      opened.set(name, key)
      return key
    },
  }
}

function createHeldKey(key: SealingKey): SealingKey {
  let held: Awaited<ReturnType<SealingKey['read']>>
  return {
    where: key.where,
    read: async (deadline) => {
      held ??= await key.read(deadline)
      return held
    },
    create: async (deadline) => {
      held = await key.create(deadline)
      return held
    },
    forget: (deadline) => {
      held = undefined
      return key.forget(deadline)
    },
  }
}

/** Creates the key at the configured location if it does not exist. @throws {HelperError} if it cannot be read or stored. */
export async function prepareKey(location: SealedLocation, deadline: Deadline): Promise<void> {
  const key = await location.openKey(location.keyName)
  if (!(await key.read(deadline))) await key.create(deadline)
}

/**
 * Removes the key of a file that no longer exists.
 * @param name The location of the key. In a keychain that cannot be used the key stays, with a warning.
 */
export async function removeKey(
  location: SealedLocation,
  name: KeyName,
  deadline: Deadline,
  warn: (message: string) => void,
): Promise<void> {
  const key = await location.openKey(name)
  try {
    await key.forget(deadline)
  } catch (error) {
    if (!(error instanceof HelperError) || error.kind === 'late' || name === 'file') throw error
    warn(`the key ${key.where} could not be removed, but opens nothing any more: ${error.message}`)
  }
}
