import type { Host } from '../../../runtime/host.ts'
import { Secret } from '../../../runtime/secret.ts'
import type { KeyStore } from './key-store.ts'
import { readKeyFile } from './read-key-file.ts'

/** What a store in a file is made with. */
interface FileStoreParts {
  /** The command that stores a key there. */
  readonly command: string
  readonly host: Pick<Host, 'env' | 'home' | 'platform'>
}

/** A key in a file of this user. */
export function createFileStore(path: string, { command, host }: FileStoreParts): KeyStore {
  return {
    where: `the file ${path}`,
    hint: `store the key: ${command}`,
    read: async (deadline) => {
      const text = await deadline.during('file', `reading ${path}`, () => readKeyFile(path))
      return text === undefined ? undefined : new Secret(text)
    },
    prepare: async () => {},
    write: async (text, deadline) => {
      const { changeKeyFile, writeKeyFile } = await import('./change-key-file.ts')
      await changeKeyFile(path, { host, deadline }, () => writeKeyFile(path, text))
    },
    remove: async (deadline) => {
      const { changeKeyFile, removeKeyFile } = await import('./change-key-file.ts')
      return changeKeyFile(path, { host, deadline }, () => removeKeyFile(path))
    },
  }
}
