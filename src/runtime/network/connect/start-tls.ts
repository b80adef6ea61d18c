import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect, type DetailedPeerCertificate, type SecureContext, type TLSSocket } from 'node:tls'
import { HelperError } from '../../failure.ts'
import { authoritySettings } from './trust.ts'

/** The other end of a connection. */
export interface Peer {
  readonly host: string
  readonly port: number
  /** For messages. */
  readonly name: string
  /** Who named it, where it is a setting. */
  readonly origin?: string | undefined
}

/**
 * TLS over an open connection, with the peer's certificate verified.
 * @throws {HelperError} `unavailable`, saying what is wrong with the certificate; or the system's error.
 */
export function startTls(socket: Duplex, { host, name }: Peer, secureContext: SecureContext): Promise<TLSSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>()
  const servername = isIP(host) ? '' : host
  const secure = connect({ socket, host, servername, secureContext, rejectUnauthorized: true })
  let presented: DetailedPeerCertificate | undefined
  // The runtime lets go of the certificate together with the connection; it is read just before.
  const destroy = secure.destroy
  secure.destroy = (error) => {
    presented ??= secure.getPeerCertificate(true) ?? undefined
    return destroy.call(secure, error)
  }
  secure.once('secureConnect', () => resolve(secure))
  secure.once('error', (error: NodeJS.ErrnoException) => reject(describeDistrust(name, error, presented) ?? error))
  return promise
}

/** What a certificate that is not believed is, in words; `undefined` where something else went wrong. */
function describeDistrust(
  name: string,
  cause: NodeJS.ErrnoException,
  presented: DetailedPeerCertificate | undefined,
): HelperError | undefined {
  const { code = '' } = cause
  const failure = (what: string, hint: string) =>
    new HelperError('unavailable', `${name} presents a certificate ${what} (${code})`, hint, { cause })
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return failure(
      `for ${presented?.subjectaltname ?? 'another name'}`,
      `find out what answers in the place of ${name}, or correct the endpoint`,
    )
  if (code === 'CERT_HAS_EXPIRED')
    return failure(`that ended at ${dateOf(presented?.valid_to)}`, 'have it renewed; or set the clock of this machine')
  if (code === 'CERT_NOT_YET_VALID')
    return failure(`that begins at ${dateOf(presented?.valid_from)}`, 'set the clock of this machine')
  if (/ISSUER|SELF_SIGNED|LEAF_SIGNATURE|CERT_UNTRUSTED/.test(code))
    return failure(
      `issued by ${issuerOf(presented)}, which this machine does not trust`,
      `if that is your organization's certificate authority, name the file with its certificate in ${authoritySettings}`,
    )
  return undefined
}

/** Who signed the last certificate of the chain that was presented: that is the one to trust. */
function issuerOf(presented: DetailedPeerCertificate | undefined): string {
  let last = presented
  while (last?.issuerCertificate && last.issuerCertificate !== last) last = last.issuerCertificate
  const { CN, O } = last?.issuer ?? {}
  return CN || O ? `"${[CN, O].flat().filter(Boolean).join(', ')}"` : 'nobody with a name'
}

function dateOf(text = ''): string {
  const date = new Date(text)
  return Number.isNaN(date.getTime()) ? 'an unknown time' : date.toISOString()
}
