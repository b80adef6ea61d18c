import type { Deadline } from '../../../../runtime/deadline.ts'
import { HelperError } from '../../../../runtime/failure.ts'
import type { SealingKey } from '../../../keychain/sealing/sealing-key.ts'
import type { StoreFiles } from './store-files.ts'

/** Where the key of a sealed sign-in can be; the file says where its own is. */
export type KeyName = 'file' | 'keychain'

/** Where a sealed sign-in is, and its key. */
export interface SealedPlace {
  readonly files: StoreFiles
  /** Where the key has to be: a sign-in that was sealed with another is sealed again. */
  readonly keyName: KeyName
  openKey(name: KeyName): Promise<SealingKey>
}

/**
 * The same for the holder of the lock, with a key that is read once: a keychain that is locked meanwhile must not lose a
 * refresh token that was just renewed.
 */
export function createHeldPlace(place: SealedPlace): SealedPlace {
  const opened = new Map<KeyName, Promise<SealingKey>>()
  return {
    ...place,
    openKey: (name) => {
      const key = opened.get(name) ?? place.openKey(name).then(holdKey)
      opened.set(name, key)
      return key
    },
  }
}

function holdKey(key: SealingKey): SealingKey {
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

/** Makes sure that there is a key where it has to be. @throws {HelperError} where it cannot be read or kept. */
export async function prepareKey(place: SealedPlace, deadline: Deadline): Promise<void> {
  const key = await place.openKey(place.keyName)
  if (!(await key.read(deadline))) await key.create(deadline)
}

/**
 * Removes the key that has sealed a file which is there no more.
 * @param name Where it is; one elsewhere than it has to be is left, with a warning, where that place cannot be used.
 */
export async function removeKey(
  place: SealedPlace,
  name: KeyName,
  deadline: Deadline,
  warn: (message: string) => void,
): Promise<void> {
  const key = await place.openKey(name)
  try {
    await key.forget(deadline)
  } catch (error) {
    if (!(error instanceof HelperError) || error.kind === 'late' || name === 'file') throw error
    warn(`the key ${key.where} is left, which opens nothing any more: ${error.message}`)
  }
}
