import { HelperError } from '../../../runtime/failure.ts'
import { expandHome, readIfPresent } from '../../../runtime/files.ts'
import type { Host } from '../../../runtime/host.ts'
import { Secret } from '../../../runtime/secret.ts'
import type { GrantClient } from './grant-request.ts'
import type { ClientSettings, SecretLocation } from './settings.ts'

/** The client with its secret, which is read again for each exchange. @throws {HelperError} `not-configured` where there is none. */
export async function readClient(
  { id, secret, authentication }: ClientSettings,
  host: Pick<Host, 'env' | 'home'>,
): Promise<GrantClient> {
  return { id, authentication, secret: secret && (await readSecret(secret, host)) }
}

async function readSecret({ kind, name }: SecretLocation, { env, home }: Pick<Host, 'env' | 'home'>): Promise<Secret> {
  const path = expandHome(name, home)
  const text = kind === 'file' ? await readIfPresent(path) : env[name]
  if (text?.trim()) return new Secret(text.trim())
  const location = kind === 'file' ? `the file ${path}` : `the variable ${name}`
  throw new HelperError(
    'not-configured',
    `${location}, which is to hold the secret of the client, does not exist or is empty`,
    `put the secret there, or correct exchange-secret-${kind}`,
  )
}
