import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Deadline } from '../../../../runtime/deadline.ts'
import { toSha256 } from '../../../../runtime/digest.ts'
import { readIfPresent } from '../../../../runtime/files.ts'
import { createPrivateDirectory } from '../../../../runtime/private/create-private-directory.ts'
import { toWriteFailure, writeDurably } from '../../../../runtime/writing/replace-file.ts'
import type { KeychainItem } from '../../keychain.ts'

/** The file of an item, which only the Data Protection API of Windows can open. */
export function locateSealedFile(directory: string, { service, account }: KeychainItem): string {
  return join(directory, `${toSha256(JSON.stringify([service, account]))}.sealed`)
}

/** Reads it, in base64; `undefined` where there is none. @throws {HelperError} where it cannot be read; `late`. */
export async function readSealedFile(path: string, deadline: Deadline): Promise<string | undefined> {
  return (await deadline.during('keychain', `reading ${path}`, () => readIfPresent(path)))?.trim()
}

/** Replaces it as a whole. @throws {HelperError} where it cannot be written; `late`. */
export async function writeSealedFile(path: string, sealed: string, deadline: Deadline): Promise<void> {
  await deadline.during('keychain', `writing ${path}`, () =>
    change(path, async () => {
      await createPrivateDirectory(dirname(path), 'no secret can be kept there until it can be written')
      // Two may write at once: each has a draft of its own, and the later one stays.
      await writeDurably(path, `${sealed}\n`, `${path}.${randomUUID()}.tmp`)
    }),
  )
}

/** Removes it. @returns whether there was one. @throws {HelperError} where it cannot be removed; `late`. */
export async function removeSealedFile(path: string, deadline: Deadline): Promise<boolean> {
  return deadline.during('keychain', `removing ${path}`, () =>
    change(path, async () => {
      try {
        await rm(path)
        return true
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
        throw error
      }
    }),
  )
}

async function change<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toWriteFailure(path, error)
  }
}
