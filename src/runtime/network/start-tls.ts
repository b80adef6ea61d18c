import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect, type DetailedPeerCertificate, type SecureContext, type TLSSocket } from 'node:tls'
import { clockHint, HelperError } from '../failure.ts'
import { renderDate } from '../values/duration.ts'
import { toForeignHint } from './network-failure.ts'
import { authoritySettings } from './trust.ts'

/** The other end of a connection. */
export interface Peer {
  readonly host: string
  readonly port: number
  /** The name of the peer in messages. */
  readonly name: string
  /** The setting that names it, for a proxy. */
  readonly origin?: string | undefined
}

/**
 * Starts TLS over an open connection, and verifies the peer's certificate.
 * @throws {HelperError} `unavailable` that says what is wrong with the certificate; or the system's error.
 */
export function startTls(socket: Duplex, { host, name }: Peer, secureContext: SecureContext): Promise<TLSSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>()
  const servername = isIP(host) ? '' : host
  const secure = connect({ socket, host, servername, secureContext, rejectUnauthorized: true })
  let presented: DetailedPeerCertificate | undefined
  // Node drops the certificate with the connection, so it is read right before.
  const destroy = secure.destroy
  secure.destroy = (error) => {
    presented ??= secure.getPeerCertificate(true) ?? undefined
    return destroy.call(secure, error)
  }
  secure.once('secureConnect', () => resolve(secure))
  secure.once('error', (error: NodeJS.ErrnoException) => reject(toCertificateFailure(name, error, presented) ?? error))
  return promise
}

/** Creates the failure for a certificate that is not trusted, with the reason; `undefined` for any other error. */
function toCertificateFailure(
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
      `${toForeignHint(name)}, or correct the endpoint`,
    )
  if (code === 'CERT_HAS_EXPIRED')
    return failure(`that expired at ${renderDate(presented?.valid_to ?? '')}`, `have it renewed; or ${clockHint}`)
  if (code === 'CERT_NOT_YET_VALID')
    return failure(`that is not valid before ${renderDate(presented?.valid_from ?? '')}`, clockHint)
  if (/ISSUER|SELF_SIGNED|LEAF_SIGNATURE|CERT_UNTRUSTED/.test(code))
    return failure(
      `issued by ${describeIssuer(presented)}, which this machine does not trust`,
      `if that is your organization's certificate authority, name the file with its certificate in ${authoritySettings}`,
    )
  return undefined
}

/** Describes the issuer of the last certificate of the presented chain, which is the authority to trust. */
function describeIssuer(presented: DetailedPeerCertificate | undefined): string {
  let last = presented
  while (last?.issuerCertificate && last.issuerCertificate !== last) last = last.issuerCertificate
  const { CN, O } = last?.issuer ?? {}
  return CN || O ? `"${[CN, O].flat().filter(Boolean).join(', ')}"` : 'an authority without a name'
}
