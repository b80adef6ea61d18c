import { HelperError } from '../../runtime/failure.ts'
import { refusePlainHttp } from '../../runtime/network/loopback.ts'

/**
 * The address that metrics are sent to, from a collector's base address, the form that every OpenTelemetry program takes.
 * @throws {HelperError} `not-configured` for another address. The message does not repeat it: it may hold a password.
 */
export function toMetricsAddress(endpoint: string): string {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw new HelperError(
      'not-configured',
      'expected an address that begins with https://',
      'write it in full, such as https://otel.example:4318',
    )
  if (url.username || url.password)
    throw new HelperError('not-configured', 'a user or a password in it would be in every log', 'use otlp-headers-file')
  if (/[?#]/.test(endpoint))
    throw new HelperError('not-configured', 'expected an address without ? and #', 'use otlp-headers-file for a key')
  refusePlainHttp(url, 'otlp-endpoint')
  const path = url.pathname.replace(/\/+$/, '')
  if (path.endsWith(metricsPath))
    throw new HelperError('not-configured', `it ends with ${metricsPath}, which is added to it`, 'remove that ending')
  url.pathname = path + metricsPath
  return url.href
}

/** The path of metrics below the address of a collector (OTLP specification, OTLP/HTTP request). */
const metricsPath = '/v1/metrics'
