import { isPromptAllowed } from '../../contract/context.ts'
import type { Call } from '../../helper/define-helper.ts'
import { HelperError } from '../../runtime/failure.ts'
import { readKeyFile } from '../../runtime/files/read-key-file.ts'
import type { Host } from '../../runtime/host.ts'
import type { Environment } from '../../runtime/run-process.ts'
import { Secret } from '../../runtime/secret.ts'
import type { Keychain, KeychainItem } from '../keychain/keychain.ts'
import { openKeychain } from '../keychain/open-keychain.ts'
import { describeKeyLocation, type KeyLocation, renderLocationOptions } from './key-location.ts'
import type { KeyStore } from './read-key.ts'

/** Opens the store of a key, without a prompt until it is used. Callers import this file on use, because a plan only names the location. */
export async function openKeyStore(
  location: KeyLocation,
  host: Host,
  { program, context }: Pick<Call, 'program' | 'context'>,
): Promise<KeyStore> {
  const command = `${program} store${renderLocationOptions(location)}`
  if (location.kind === 'variable') return createVariableStore(location, host.env)
  if (location.kind === 'file') return createFileStore(location, { command, host })
  const prompt = isPromptAllowed(context) ? 'allowed' : 'never'
  const keychain = await openKeychain(host, prompt, 'name a file that holds the key with key-file')
  return createKeychainStore(keychain, location.item, command)
}

type LocationOf<K extends KeyLocation['kind']> = Extract<KeyLocation, { kind: K }>

/** The run that uses a key file, and the command in its hints. */
interface KeyFileParts {
  /** The command with which a person stores a key there. */
  readonly command: string
  readonly host: Pick<Host, 'env' | 'home' | 'platform'>
}

/** Creates the store of a key in a variable, which this process cannot change for others. */
function createVariableStore(location: LocationOf<'variable'>, env: Environment): KeyStore {
  const { name } = location
  const toFailure = () =>
    new HelperError(
      'usage',
      'key-variable is set, and this command cannot change a variable',
      'remove key-variable to use the keychain, or name a file with key-file',
    )
  return {
    where: describeKeyLocation(location),
    hint: `set ${name} to the key alone where the client is started`,
    read: async () => (env[name] ? new Secret(env[name]) : undefined),
    prepare: () => Promise.reject(toFailure()),
    write: () => Promise.reject(toFailure()),
    remove: () => Promise.reject(toFailure()),
  }
}

/** Creates the store of a key in a file of this user. */
function createFileStore(location: LocationOf<'file'>, { command, host }: KeyFileParts): KeyStore {
  const { path } = location
  return {
    where: describeKeyLocation(location),
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

/** Creates the store of a key in the operating system's keychain. */
function createKeychainStore(keychain: Keychain, item: KeychainItem, command: string): KeyStore {
  return {
    where: `${keychain.title} (${item.label})`,
    hint: `store the key: ${command}`,
    read: (deadline) => keychain.read(item, deadline),
    prepare: async (deadline) => void (await keychain.read(item, deadline)),
    write: (text, deadline) => keychain.write(item, text, deadline),
    remove: (deadline) => keychain.remove(item, deadline),
  }
}
