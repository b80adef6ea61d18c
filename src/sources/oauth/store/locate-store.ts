import { join } from 'node:path'
import { locateOwnDirectory, readCacheFile, refuseSharedDirectory } from '../../../runtime/files/private-files.ts'
import type { Host } from '../../../runtime/host.ts'
import type { OidcSettings } from '../oidc/oidc-settings.ts'
import { nameSignIn, toSignInInputs } from './name-sign-in.ts'
import { parseSealedFile, type SealedFile, sealedFormat } from './sealed-file.ts'
import type { StoreFiles } from './sealed-location.ts'

/** The part of the host that decides where a user's files are. */
export type StoreHost = Pick<Host, 'env' | 'home' | 'platform'>

export function locateStore(settings: OidcSettings, host: StoreHost): StoreFiles {
  const name = nameSignIn(settings)
  const { signIns: directory, keys: keyDirectory } = locateDirectories(host)
  const at = (ending: string) => join(directory, `${name}${ending}`)
  return {
    name,
    directory,
    keyDirectory,
    purpose: `gatepass sign-in ${toSignInInputs(settings)}`,
    sealed: at('.sealed'),
    draft: at('.tmp'),
    lock: at('.lock'),
    key: join(keyDirectory, `${name}.key`),
    keyDraft: join(keyDirectory, `${name}.tmp`),
  }
}

/** Locates the platform's directories for files that belong to one machine and that cannot be created again. */
function locateDirectories(host: StoreHost): { readonly signIns: string; readonly keys: string } {
  const isCapitalized = host.platform === 'win32' || host.platform === 'darwin'
  return {
    signIns: join(locateOwnDirectory(host, 'state'), isCapitalized ? 'Sign-ins' : 'sign-ins'),
    keys: join(locateOwnDirectory(host, 'data'), isCapitalized ? 'Keys' : 'keys'),
  }
}

/**
 * Reads the ID of the stored sign-in, for calls that are served from the cache: it is one small read, without decryption.
 * @returns `undefined` if nobody is signed in, or if the file cannot be read, which the store reports when it is used.
 */
export async function readSignInHeader(
  settings: OidcSettings,
  host: StoreHost,
): Promise<Pick<SealedFile, 'id' | 'isChallenged'> | undefined> {
  const { directory, sealed } = locateStore(settings, host)
  try {
    const [text] = await Promise.all([readCacheFile(sealed), refuseSharedDirectory(directory)])
    const file = parseSealedFile(text)
    return file?.format === sealedFormat ? file : undefined
  } catch {
    return undefined
  }
}
