import { HelperError } from '../../runtime/failure.ts'
import { refusePlainHttp, validateWebAddress } from '../../runtime/network/addresses.ts'

const settingsOfHelpers: CollectorSettings = { endpoint: 'otlp-endpoint', headersFile: 'otlp-headers-file' }

/**
 * Derives the address for metrics or traces from a collector's base address, as every OpenTelemetry program does (OTLP Exporter
 * specification, "Endpoint URLs for OTLP/HTTP").
 * @throws {HelperError} `not-configured` for another address. The message does not repeat it, because it may hold a password.
 */
export function toCollectorAddress(
  base: string,
  signal: 'metrics' | 'traces',
  { endpoint, headersFile } = settingsOfHelpers,
): string {
  const url = URL.parse(base)
  const problem = validateWebAddress(url)
  if (!url || problem === 'form')
    throw new HelperError(
      'not-configured',
      'expected an address that begins with https://',
      'write it in full, such as https://otel.example:4318',
    )
  if (problem === 'user')
    throw new HelperError('not-configured', 'a user or a password in it would be in every log', `use ${headersFile}`)
  if (/[?#]/.test(base))
    throw new HelperError('not-configured', 'expected an address without ? and #', `use ${headersFile} for a key`)
  refusePlainHttp(url, endpoint)
  const path = url.pathname.replace(/\/+$/, '')
  const ending = `/v1/${signal}` // OTLP specification, OTLP/HTTP request
  if (path.endsWith(ending))
    throw new HelperError('not-configured', `it ends with ${ending}, which is added to it`, 'remove that ending')
  url.pathname = path + ending
  return url.href
}

/** The names of the settings in messages. */
interface CollectorSettings {
  readonly endpoint: string
  readonly headersFile: string
}
