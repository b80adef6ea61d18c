import { toCollectorAddress } from '../../outcomes/destinations/collector-address.ts'
import { HelperError } from '../../runtime/failure.ts'
import { isCredentialText } from '../../runtime/text/credential-text.ts'
import type { ResolvedOptions } from '../options/resolve-options.ts'

/** The destinations of outcomes, as the options name them. */
export interface OutcomeSettings {
  readonly systemLog: boolean
  readonly endpoint: string | undefined
  /** The path that was written; it may begin with `~/`. */
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

/** The attributes that can be sent, and what is wrong with the others. */
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

/** In bytes. They stand in a variable of the sending process, in which some take two characters for one. Our decision. */
const longestResource = 8 * 1024

/** The first of them, as many as are no longer together. */
function selectWithin(texts: readonly string[], longestBytes: number): readonly string[] {
  let bytes = 0
  const end = texts.findIndex((text) => {
    bytes += Buffer.byteLength(text)
    return bytes > longestBytes
  })
  return end === -1 ? texts : texts.slice(0, end)
}

/** Everybody who reads metrics reads the attributes. */
function detectUse(text: string): 'sent' | 'secret' | 'wrong' {
  if (isCredentialText(text.slice(text.indexOf('=') + 1))) return 'secret'
  return attribute.test(text) ? 'sent' : 'wrong'
}

/** A name of OpenTelemetry's attributes, and a printable value; an empty one leaves out what would be sent by default. */
const attribute = /^[a-z][a-z0-9_]*(\.[a-z0-9_]+)*=[^\p{C}]{0,256}$/u

/** Why outcomes cannot be sent to an address, and what to do; `undefined` where they can. */
function validateEndpoint(endpoint: string): string | undefined {
  try {
    toCollectorAddress(endpoint, 'metrics')
    return undefined
  } catch (error) {
    if (error instanceof HelperError) return `${error.message}; ${error.hint}`
    throw error
  }
}
