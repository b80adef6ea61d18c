import { Deadline } from '../../runtime/deadline.ts'
import { expandHome } from '../../runtime/disk.ts'
import { HelperError } from '../../runtime/failure.ts'
import { findServerSecret } from '../../runtime/files/read-key-file.ts'
import type { Host } from '../../runtime/host.ts'
import type { Secret } from '../../runtime/secret.ts'
import { openKeychain } from '../../sources/keychain/open-keychain.ts'

/** The place from which the server reads a secret that documents name. The release contains only the name. */
export type ServedSecretLocation =
  | { readonly name: string; readonly kind: 'file'; readonly path: string }
  | { readonly name: string; readonly kind: 'keychain'; readonly service: string; readonly account: string }

/** Parses `NAME=FILE` or `NAME=keychain:SERVICE/ACCOUNT`; `undefined` for anything else; pure. */
export function parseServedSecretLocation(text: string): ServedSecretLocation | undefined {
  const [, name, location] = /^([\w-]{1,64})=(.+)$/s.exec(text) ?? []
  if (name === undefined || location === undefined) return undefined
  if (!location.startsWith('keychain:')) return { name, kind: 'file', path: location }
  const [, service, account] = /^keychain:([^/]+)\/(.+)$/s.exec(location) ?? []
  return service === undefined || account === undefined ? undefined : { name, kind: 'keychain', service, account }
}

/**
 * Reads every secret by name.
 * @param known The secrets of the same release from the last read. The keychain is not read again for these, because it may be slow.
 * @throws {HelperError} for a missing secret.
 */
export async function readSecrets(
  host: Host,
  locations: readonly ServedSecretLocation[],
  known: ReadonlyMap<string, Secret> | undefined,
): Promise<ReadonlyMap<string, Secret>> {
  const secrets = new Map<string, Secret>()
  for (const location of locations) {
    const kept = location.kind === 'keychain' ? known?.get(location.name) : undefined
    secrets.set(location.name, kept ?? (await readSecret(host, location)))
  }
  return secrets
}

/** Returns whether both contain the same secrets under the same names. */
export function hasSameSecrets(before: ReadonlyMap<string, Secret>, after: ReadonlyMap<string, Secret>): boolean {
  return (
    before.size === after.size &&
    after.entries().every(([name, secret]) => before.get(name)?.reveal() === secret.reveal())
  )
}

/** The time limit of a keychain. */
const keychainSec = 10

async function readSecret(host: Host, location: ServedSecretLocation): Promise<Secret> {
  if (location.kind === 'file') {
    const path = expandHome(location.path, host.home)
    const found = await findServerSecret(path)
    if (found) return found
    throw toMissing(location.name, `the file ${path}`)
  }
  const { service, account, name } = location
  const keychain = await openKeychain(host, 'never', 'name a file with --secret')
  const seconds = host.clock.elapsedMs() / 1000 + keychainSec
  const deadline = new Deadline({ seconds, hint: 'unlock the keychain, or name a file with --secret' }, host.clock)
  const secret = await keychain.read({ service, account, label: `${service}: ${account}` }, deadline)
  if (secret) return secret
  throw toMissing(name, `${keychain.title} (service ${service}, account ${account})`)
}

function toMissing(name: string, where: string): HelperError {
  return new HelperError(
    'not-configured',
    `the secret ${name} is not there: ${where} does not have it`,
    'store it there, or correct --secret',
  )
}
