import { toCollectorAddress } from '../../outcomes/destinations/collector-address.ts'
import { HelperError } from '../../runtime/failure.ts'
import { isCredentialText } from '../../runtime/text/credential-text.ts'
import type { ResolvedOptions } from '../options/resolve-options.ts'

/** The options for outcomes: the destinations, and the attributes that are sent with each batch. */
export interface OutcomeSettings {
  readonly systemLog: boolean
  readonly endpoint: string | undefined
  /** The path as written in the option, which may begin with `~/`. */
  readonly headersFile: string | undefined
  /** Attributes, each as `name=value`. */
  readonly resource: readonly string[]
}

/** Parses the options for outcomes. A setting with a problem is left out and reported. */
export function parseOutcomeSettings(resolved: ResolvedOptions): {
  readonly settings: OutcomeSettings
  readonly problems: readonly string[]
} {
  const find = (name: string) => resolved.get(name)?.value
  const endpoint = find('otlp-endpoint') as string | undefined // the kinds of the options
  const headersFile = find('otlp-headers-file') as string | undefined
  const resource = parseResource((find('otlp-resource') ?? []) as readonly string[])
  const endpointProblem = endpoint === undefined ? undefined : validateEndpoint(endpoint)
  const problems = [
    ...(endpointProblem === undefined ? [] : [`otlp-endpoint: ${endpointProblem}; no collector is told of this call`]),
    ...resource.problems,
  ]
  const settings = {
    systemLog: find('outcome-log') === 'system',
    endpoint: endpointProblem === undefined ? endpoint : undefined,
    headersFile,
    resource: resource.sent,
  }
  return { settings, problems }
}

/** Separates the attributes that can be sent from the problems with the others. */
function parseResource(all: readonly string[]): { readonly sent: readonly string[]; readonly problems: string[] } {
  const { sent: sendable = [], secret = [], wrong = [] } = Object.groupBy(all, detectUse)
  const sent = selectWithin(sendable, longestResource)
  const leaveOut = ({ length }: readonly string[], what: string) =>
    length === 0 ? [] : [`otlp-resource: ${length} of ${all.length} are ${what}, and are left out`]
  const problems = [
    ...leaveOut(wrong, 'not of the form name=value, such as deployment.environment.name=office'),
    ...leaveOut(secret, 'like a credential, which belongs into otlp-headers-file'),
    ...leaveOut(sendable.slice(sent.length), `beyond the ${longestResource / 1024} KiB that are sent`),
  ]
  return { sent, problems }
}

/**
 * The longest attributes together, in bytes. They are passed in an environment variable, in which some characters take two. Our decision.
 */
const longestResource = 8 * 1024

/** Detects whether an attribute can be sent. One that may hold a secret cannot, because everybody who reads the metrics sees it. */
function detectUse(text: string): 'sent' | 'secret' | 'wrong' {
  if (isCredentialText(text.slice(text.indexOf('=') + 1))) return 'secret'
  return attribute.test(text) ? 'sent' : 'wrong'
}

/**
 * An attribute's name in OpenTelemetry's form (semantic conventions, "Naming"), and a printable value. An empty value removes a default
 * attribute.
 */
const attribute = /^[a-z][a-z0-9_]*(\.[a-z0-9_]+)*=[^\p{C}]{0,256}$/u

/** Selects the first texts that together have at most this many bytes. */
function selectWithin(texts: readonly string[], longestBytes: number): readonly string[] {
  let bytes = 0
  const end = texts.findIndex((text) => {
    bytes += Buffer.byteLength(text)
    return bytes > longestBytes
  })
  return end === -1 ? texts : texts.slice(0, end)
}

/** Names the problem with an address, and its remedy; `undefined` for an address that outcomes can be sent to. */
function validateEndpoint(endpoint: string): string | undefined {
  try {
    toCollectorAddress(endpoint, 'metrics')
    return undefined
  } catch (error) {
    if (error instanceof HelperError) return `${error.message}; ${error.hint}`
    throw error
  }
}
