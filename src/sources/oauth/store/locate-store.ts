import { isAbsolute, join } from 'node:path'
import type { Host } from '../../../runtime/host.ts'
import type { SealingKey } from '../../keychain/sealing/sealing-key.ts'
import type { OidcSettings } from '../oidc/settings.ts'
import { nameSignIn, toSignInInputs } from './name-sign-in.ts'
import type { KeyPlace } from './sealing/file-key.ts'

/** What of the host decides where a user's files are. */
export type StoreHost = Pick<Host, 'env' | 'home' | 'platform'>

/** The files of one sign-in. Its key lies in another directory, so that a copy of one directory is of no use. */
export interface StoreFiles extends KeyPlace {
  readonly name: string
  /** What the sealed file is for; in the place of another sign-in it cannot be opened. */
  readonly purpose: string
  readonly directory: string
  readonly sealed: string
  /** The sealed file while it is being written. */
  readonly draft: string
  readonly lock: string
}

/** Where a sealed sign-in and its key are. */
export interface SealedPlace {
  readonly files: StoreFiles
  readonly key: SealingKey
}

/** Where the sign-in of these settings is kept. */
export function locateStore(settings: OidcSettings, host: StoreHost): StoreFiles {
  const name = nameSignIn(settings)
  const { signIns: directory, keys: keyDirectory } = locateDirectories(host)
  const at = (ending: string) => join(directory, `${name}${ending}`)
  return {
    ...{ name, directory, keyDirectory },
    purpose: `gatepass sign-in ${toSignInInputs(settings)}`,
    sealed: at('.sealed'),
    draft: at('.tmp'),
    lock: at('.lock'),
    key: join(keyDirectory, `${name}.key`),
    keyDraft: join(keyDirectory, `${name}.tmp`),
  }
}

/** Where the platform keeps files that belong to one machine and that cannot be created again. */
function locateDirectories({ env, home, platform }: StoreHost): { readonly signIns: string; readonly keys: string } {
  switch (platform) {
    case 'win32': {
      const local = join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'Gatepass')
      return { signIns: join(local, 'Sign-ins'), keys: join(local, 'Keys') }
    }
    case 'darwin': {
      const support = join(home, 'Library', 'Application Support', 'Gatepass')
      return { signIns: join(support, 'Sign-ins'), keys: join(support, 'Keys') }
    }
    default: {
      // A relative path is ignored (XDG Base Directory Specification).
      const base = (variable: string | undefined, ...otherwise: string[]) =>
        isAbsolute(variable ?? '') ? variable! : join(home, ...otherwise)
      return {
        signIns: join(base(env.XDG_STATE_HOME, '.local', 'state'), 'gatepass', 'sign-ins'),
        keys: join(base(env.XDG_DATA_HOME, '.local', 'share'), 'gatepass', 'keys'),
      }
    }
  }
}
