import { HelperError } from '../../runtime/failure.ts'
import { toMetricsAddress } from '../../runtime/outcome/otlp/metrics-address.ts'
import type { ResolvedOptions } from '../options/resolve.ts'

/** Where operations are told of calls, as the options say it. */
export interface OutcomeSettings {
  readonly systemLog: boolean
  readonly endpoint: string | undefined
  /** As it was written; it may begin with `~/`. */
  readonly headersFile: string | undefined
  /** Each `name=value`. */
  readonly resource: readonly string[]
}

/** The settings, and what is wrong with them; what is wrong is left out. */
export function parseOutcomeSettings(resolved: ResolvedOptions): {
  readonly settings: OutcomeSettings
  readonly problems: readonly string[]
} {
  const find = (name: string) => resolved.get(name)?.value
  const endpoint = find('otlp-endpoint') as string | undefined // the kinds of the options
  const headersFile = find('otlp-headers-file') as string | undefined
  const resource = (find('otlp-resource') ?? []) as readonly string[]
  const endpointProblem = endpoint === undefined ? undefined : findEndpointProblem(endpoint)
  const wrong = resource.filter((text) => !attribute.test(text)).length
  const problems = [
    ...(endpointProblem === undefined ? [] : [`otlp-endpoint: ${endpointProblem}; no collector is told of this call`]),
    ...(wrong === 0 ? [] : [`otlp-resource: ${wrong} of ${resource.length} are no name=value, and are left out`]),
  ]
  const settings = {
    systemLog: find('outcome-log') === 'system',
    endpoint: endpointProblem === undefined ? endpoint : undefined,
    headersFile,
    resource: resource.filter((text) => attribute.test(text)),
  }
  return { settings, problems }
}

/** A name of OpenTelemetry's attributes, and a printable value; an empty one leaves out what would be sent by default. */
const attribute = /^[a-z][a-z0-9_]*(\.[a-z0-9_]+)*=[^\p{C}]{0,256}$/u

/** Why outcomes cannot be sent to an address, and what to do; `undefined` where they can. */
function findEndpointProblem(endpoint: string): string | undefined {
  try {
    toMetricsAddress(endpoint)
    return undefined
  } catch (error) {
    if (error instanceof HelperError) return `${error.message}; ${error.hint}`
    throw error
  }
}
