import { request } from 'node:http'
import type { Duplex } from 'node:stream'
import { HelperError } from '../../failure.ts'
import type { ForwardProxy } from './forward-proxy.ts'

/**
 * Requests a tunnel to a host from a proxy, over an open connection (RFC 9110, section 9.3.6).
 * @throws {HelperError} that says what the proxy requires or refuses; or the system's error.
 */
export function openTunnel(socket: Duplex, proxy: ForwardProxy, target: string): Promise<Duplex> {
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>()
  const sent = request({
    method: 'CONNECT',
    path: target,
    headers: {
      host: target,
      ...(proxy.authorization && { 'proxy-authorization': proxy.authorization.reveal() }),
    },
    createConnection: () => socket,
  })
  sent.once('connect', ({ statusCode = 0, headers }) => {
    if (statusCode >= 200 && statusCode < 300) resolve(socket)
    else reject(toRefusal(proxy, target, statusCode, headers['proxy-authenticate'] ?? ''))
  })
  sent.once('error', reject)
  sent.end()
  return promise
}

function toRefusal(proxy: ForwardProxy, target: string, status: number, schemes: string): HelperError {
  const who = `the proxy ${proxy.name}`
  if (status === 407) return toAuthenticationFailure(proxy, who, schemes)
  if (status >= 500) {
    const message = `${who} cannot reach ${target} (HTTP ${status})`
    // A retry treats it as a refused connection: nothing has been sent to the host.
    const cause = Object.assign(new Error(message), { code: 'ECONNREFUSED' })
    return new HelperError('unavailable', message, 'try again in a moment', { cause })
  }
  return new HelperError(
    'refused',
    `${who} refuses tunnels to ${target} (HTTP ${status})`,
    `have ${target} allowed there, or add its host to NO_PROXY if it can be reached without a proxy`,
  )
}

function toAuthenticationFailure({ authorization, name }: ForwardProxy, who: string, schemes: string): HelperError {
  if (!/\bbasic\b/i.test(schemes)) {
    const asked = /\b(ntlm|negotiate|kerberos|digest)\b/gi
    const wanted = [...new Set([...schemes.matchAll(asked)].map(([scheme]) => scheme))].join(' or ')
    return new HelperError(
      'not-configured',
      `${who} asks for ${wanted || 'an unknown kind of'} authentication, which is not supported`,
      'name a proxy that takes a user and password or none, such as a local one that signs in for you (px, cntlm)',
    )
  }
  return authorization
    ? new HelperError(
        'refused',
        `${who} does not accept the user and password in its URL (HTTP 407)`,
        'correct them; every special character in them is written as %XX',
      )
    : new HelperError(
        'not-configured',
        `${who} asks for a user and password (HTTP 407)`,
        `write them into its URL in a file or variable: ${name.replace('//', '//USER:PASSWORD@')}`,
      )
}
