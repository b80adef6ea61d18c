// Tells failures of the network and of a server from other errors, by a code or a status, and names the way out of them.

import { HelperError } from '../failure.ts'

/** Codes of the system, the name lookup and Node's sockets, such as `ECONNREFUSED` and `EAI_AGAIN`. */
const systemCode = /^E(?!RR_)[A-Z0-9_]+$/

/** Codes of Node for TLS, for HTTP framing and for abandoned connections (Node.js documentation, "Errors"). */
const nodeCode =
  /^(ERR_SSL_\w+|ERR_TLS_(CERT|DH|HANDSHAKE)_\w+|ERR_STREAM_PREMATURE_CLOSE|HPE_\w+|UND_ERR_\w+|ABORT_ERR)$/

/** Codes for a certificate that is not trusted (Node.js documentation, "X509 certificate error codes"). */
const certificateCode =
  /^((UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|CERT|CRL|ERROR_IN)_\w+|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH)$/

/**
 * Finds the code of a network failure in the causes of an error, at any depth; `undefined` for any other error. A defect of ours, such as a
 * `TypeError`, has no such code and must not be reported as an unreachable host.
 */
export function findNetworkCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown }
  const inner = findNetworkCode(cause) ?? (Array.isArray(errors) ? findNetworkCode(errors[0]) : undefined)
  return inner ?? (isNetworkCode(code) ? code : undefined)
}

function isNetworkCode(code: unknown): code is string {
  return typeof code === 'string' && [systemCode, nodeCode, certificateCode].some((pattern) => pattern.test(code))
}

/** Creates the failure of a server that cannot be reached, with the code of {@link findNetworkCode}. */
export function toUnreachableFailure(name: string, code: string, cause: unknown, hint = networkHint): HelperError {
  return new HelperError('unavailable', `${name} cannot be reached (${code})`, hint, { cause })
}

/** Returns whether a code says that the certificate of a server was not accepted. */
export function isCertificateCode(code: string): boolean {
  return certificateCode.test(code) || code.startsWith('ERR_TLS_CERT_')
}

/** The hint for a server on the network that cannot be reached. */
export const networkHint = 'check the network, the VPN and the proxy'

/** The hint for a failure that passes by itself. */
export const againHint = 'try again in a moment'

/**
 * Creates the failure of a server that cannot answer now.
 * @param name The server, or its answer, for the message.
 * @param answer The status, such as `HTTP 503`, and the code if there is one.
 */
export function toBusyFailure(
  name: string,
  answer: string,
  { hint = againHint, cause }: { readonly hint?: string; readonly cause?: unknown } = {},
): HelperError {
  return new HelperError('unavailable', `${name} is busy or broken (${answer})`, hint, { cause })
}

/** Returns whether another attempt may succeed after a late request, too many, or a broken server (RFC 9110, section 15; RFC 6585). */
export function isBusyStatus(status: number): boolean {
  return status === 408 || status === 429 || status >= 500
}

/** Creates the failure of a server that redirects. @param what The request and who answered it, such as `id.example answered the token exchange`. */
export function toRedirectFailure(what: string, answer: string, hint: string): HelperError {
  return new HelperError('unavailable', `${what} with a redirect, which is not followed (${answer})`, hint)
}

/** Returns whether an answer leads to another address (RFC 9110, section 15.4). */
export function isRedirectStatus(status: number): boolean {
  return status >= 300 && status < 400
}

/** Returns whether an answer is a page for a person, such as the sign-in of a network, where a program has asked. */
export function isPageType(contentType: string | null | undefined): boolean {
  return contentType?.startsWith('text/html') === true
}

/** Renders the hint where something else than the named server seems to answer. */
export function toForeignHint(name: string): string {
  return `find out what answers in place of ${name}`
}
