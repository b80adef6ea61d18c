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

/** The secret in a file, which is not kept. @param setting The option that names it. @throws {HelperError} `not-configured` where there is none. */
export async function readSecretFile(name: string, setting: string, { home }: Pick<Host, 'home'>): Promise<Secret> {
  const path = expandHome(name, home)
  return toSecret(await readIfPresent(path), `the file ${path}`, setting)
}

async function readSecret({ kind, name, setting }: SecretLocation, host: Pick<Host, 'env' | 'home'>): Promise<Secret> {
  return kind === 'file'
    ? readSecretFile(name, setting, host)
    : toSecret(host.env[name], `the variable ${name}`, setting)
}

function toSecret(text: string | undefined, location: string, setting: string): Secret {
  if (text?.trim()) return new Secret(text.trim())
  throw new HelperError(
    'not-configured',
    `${location}, which is to hold the secret of the client, does not exist or is empty`,
    `put the secret there, or correct ${setting}`,
  )
}
