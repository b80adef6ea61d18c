import { HelperError } from '../../failure.ts'
import { refusePlainHttp } from '../../network/loopback.ts'

/** The path of metrics below the address of a collector (OTLP specification, OTLP/HTTP request). */
const metricsPath = '/v1/metrics'

/**
 * Where metrics are sent to, for the base address of a collector as every program of OpenTelemetry takes it.
 * @throws {HelperError} `not-configured` for what is no such address. The address is not repeated: it may hold a password.
 */
export function toMetricsAddress(endpoint: string): string {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw refuse('expected an address that begins with https://', 'write it in full, such as https://otel.example:4318')
  if (url.username || url.password)
    throw refuse('a user or a password in it would be in every log', 'use otlp-headers-file')
  if (/[?#]/.test(endpoint)) throw refuse('expected an address without ? and #', 'use otlp-headers-file for a key')
  refusePlainHttp(url, 'otlp-endpoint')
  const path = url.pathname.replace(/\/+$/, '')
  if (path.endsWith(metricsPath)) throw refuse(`it ends with ${metricsPath}, which is added to it`, `leave that out`)
  url.pathname = path + metricsPath
  return url.href
}

function refuse(what: string, hint: string): HelperError {
  return new HelperError('not-configured', what, hint)
}
