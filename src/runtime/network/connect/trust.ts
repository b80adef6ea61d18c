import * as tls from 'node:tls'
import { HelperError } from '../../failure.ts'
import { readIfPresent } from '../../files.ts'
import type { AuthorityFile, NetworkSettings } from '../settings.ts'

/** The settings that can name a certificate authority, for hints. */
export const authoritySettings =
  "the option ca (GATEPASS_CA, or the machine's file), AWS_CA_BUNDLE or NODE_EXTRA_CA_CERTS"

const resolved = new WeakMap<NetworkSettings, Promise<tls.SecureContext>>()

/**
 * The certificate authorities that TLS trusts: Node's own, those of the system's store, and those of every file that is set.
 * They are read once for all connections of a call, because the stores hold hundreds of certificates.
 * @throws {HelperError} `not-configured` for a file that cannot be used, and where verification is switched off.
 */
export function resolveTrust(settings: NetworkSettings): Promise<tls.SecureContext> {
  const known = resolved.get(settings) ?? readTrust(settings)
  resolved.set(settings, known)
  return known
}

async function readTrust({ authorities, verification }: NetworkSettings): Promise<tls.SecureContext> {
  if (verification === 'switched off')
    throw new HelperError(
      'not-configured',
      'NODE_TLS_REJECT_UNAUTHORIZED=0 lets any server pose as the host that is asked, so nothing is sent',
      `unset it; if your organization has a certificate authority of its own, name its file in ${authoritySettings}`,
    )
  const files = await Promise.all(authorities.map(readAuthority))
  return tls.createSecureContext({ ca: [...new Set([...runtimeStore(), ...systemStore(), ...files])] })
}

/** Node has `getCACertificates` since 22.15; a module that imports it by name does not load before. */
function runtimeStore(): readonly string[] {
  return typeof tls.getCACertificates === 'function' ? tls.getCACertificates('default') : tls.rootCertificates
}

function systemStore(): readonly string[] {
  return typeof tls.getCACertificates === 'function' ? tls.getCACertificates('system') : []
}

async function readAuthority({ path, origin }: AuthorityFile): Promise<string> {
  const text = await readIfPresent(path)
  if (text === undefined)
    throw new HelperError(
      'not-configured',
      `the file of certificate authorities ${path} (${origin}) does not exist`,
      'correct the path, or put the file there',
    )
  // TLS ignores a file that it cannot parse, and with it the authority that was to be added.
  if (!/-----BEGIN (TRUSTED )?CERTIFICATE-----/.test(text))
    throw new HelperError(
      'not-configured',
      `${path} (${origin}) holds no certificate in PEM form`,
      `convert it with: openssl x509 -inform der -in '${path}' -out authority.pem; and name that file`,
    )
  return text
}
