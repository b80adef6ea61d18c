/** What the system, the name lookup and Node's sockets report, such as `ECONNREFUSED` and `EAI_AGAIN`. */
const systemCode = /^E(?!RR_)[A-Z0-9_]+$/

/** What Node reports of TLS, of HTTP framing and of connections that were given up. Node, "Errors". */
const nodeCode =
  /^(ERR_SSL_\w+|ERR_TLS_(CERT|DH|HANDSHAKE)_\w+|ERR_STREAM_PREMATURE_CLOSE|HPE_\w+|UND_ERR_\w+|ABORT_ERR)$/

/** Why a certificate is not trusted. Node, "X509 certificate error codes". */
const certificateCode =
  /^((UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|CERT|CRL|ERROR_IN)_\w+|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH)$/

/**
 * The code of a network failure, however deep it lies in the causes of an error; `undefined` for any other error. A
 * defect of ours, such as a `TypeError`, has no such code and must not be reported as a host that cannot be reached.
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
