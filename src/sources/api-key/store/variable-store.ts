import type { Environment } from '../../../runtime/environment.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { Secret } from '../../../runtime/secret.ts'
import type { KeyStore } from './key-store.ts'

/** A key in the environment, which nobody changes from here. */
export function createVariableStore(name: string, env: Environment): KeyStore {
  const refuse = () =>
    new HelperError(
      'usage',
      'key-variable is set, and a variable is not changed from here',
      'leave it out, so that the keychain keeps the key, or name a file with key-file',
    )
  return {
    where: `the variable ${name}`,
    hint: `set ${name} to the key alone where the client is started`,
    read: async () => (env[name] ? new Secret(env[name]) : undefined),
    prepare: () => Promise.reject(refuse()),
    write: () => Promise.reject(refuse()),
    remove: () => Promise.reject(refuse()),
  }
}
