import { createSecureContext, getCACertificates, rootCertificates, type SecureContext } from 'node:tls'
import { HelperError } from '../../failure.ts'
import { readIfPresent } from '../../files.ts'
import type { AuthorityFile, NetworkSettings } from '../settings.ts'

/** The settings that can name an authority, for hints. */
export const authoritySettings =
  "the option ca (GATEPASS_CA, or the machine's file), AWS_CA_BUNDLE or NODE_EXTRA_CA_CERTS"

const opened = new WeakMap<NetworkSettings, Promise<SecureContext>>()

/**
 * Whom TLS believes: the authorities of the runtime, of the system's certificate store, and of every file named. Read
 * once for all connections of a call, because the stores hold hundreds of certificates.
 * @throws {HelperError} `not-configured` for a file that cannot be used, and where verification is switched off.
 */
export function resolveTrust(settings: NetworkSettings): Promise<SecureContext> {
  const known = opened.get(settings) ?? readTrust(settings)
  opened.set(settings, known)
  return known
}

async function readTrust({ authorities, verification }: NetworkSettings): Promise<SecureContext> {
  if (verification === 'switched off')
    throw new HelperError(
      'not-configured',
      'NODE_TLS_REJECT_UNAUTHORIZED=0 lets anybody answer in the place of whoever is asked, so nothing is sent',
      `unset it; if your organization has a certificate authority of its own, name its file in ${authoritySettings}`,
    )
  const files = await Promise.all(authorities.map(readAuthority))
  return createSecureContext({ ca: [...new Set([...runtimeStore(), ...systemStore(), ...files])] })
}

/** The types promise `getCACertificates`, but a Node before 22.15 has not got it. */
function runtimeStore(): readonly string[] {
  return typeof getCACertificates === 'function' ? getCACertificates('default') : rootCertificates
}

function systemStore(): readonly string[] {
  return typeof getCACertificates === 'function' ? getCACertificates('system') : []
}

async function readAuthority({ path, origin }: AuthorityFile): Promise<string> {
  const text = await readIfPresent(path)
  if (text === undefined)
    throw new HelperError(
      'not-configured',
      `the file of certificate authorities ${path} (${origin}) does not exist`,
      'correct the path, or put the file there',
    )
  // TLS passes over what it cannot read, and with it over the authority that somebody meant to add.
  if (!/-----BEGIN (TRUSTED )?CERTIFICATE-----/.test(text))
    throw new HelperError(
      'not-configured',
      `${path} (${origin}) holds no certificate in PEM form`,
      `convert it with: openssl x509 -inform der -in '${path}' -out authority.pem; and name that file`,
    )
  return text
}
