import { HelperError } from '../../failure.ts'

/** The path of metrics below the address of a collector (OTLP specification, OTLP/HTTP request). */
const metricsPath = '/v1/metrics'

/**
 * Where metrics are sent to, for the base address of a collector as every program of OpenTelemetry takes it.
 * @throws {HelperError} `not-configured` for what is no such address.
 */
export function toMetricsAddress(endpoint: string): string {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw refuse('is not a URL of http or https', 'write it in full, such as https://collector.example:4318')
  if (url.username !== '' || url.password !== '')
    throw refuse('has a password in it, which everybody sees who may read the setting', 'leave it out')
  const path = url.pathname.replace(/\/+$/, '')
  if (path.endsWith(metricsPath))
    throw refuse(`ends with ${metricsPath}, which is added to it`, `leave ${metricsPath} out`)
  url.pathname = path + metricsPath
  return url.href
}

function refuse(what: string, hint: string): HelperError {
  return new HelperError('not-configured', `the address of the collector ${what}`, hint)
}
