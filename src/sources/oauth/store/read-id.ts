import { refuseSharedDirectory } from '../../../runtime/private/owner.ts'
import { readCacheFile } from '../../../runtime/private/read-cache-file.ts'
import type { OidcSettings } from '../oidc/settings.ts'
import { locateStore, type StoreHost } from './locate-store.ts'
import { parseSealedFile, sealedFormat } from './sealing/sealed-file.ts'

/**
 * The id of the sign-in that is kept in a file, for calls that are served from the cache: one small read, and nothing is decrypted.
 * @returns `undefined` where nobody is signed in, or where that cannot be read, which the store explains when it is used.
 */
export async function readSignInId(settings: OidcSettings, host: StoreHost): Promise<string | undefined> {
  const { directory, sealed } = locateStore(settings, host)
  try {
    const [text] = await Promise.all([readCacheFile(sealed), refuseSharedDirectory(directory)])
    const file = parseSealedFile(text)
    return file?.format === sealedFormat ? file.id : undefined
  } catch {
    return undefined
  }
}
