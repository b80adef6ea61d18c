import { formatFacts, type OutputFormat } from './output-format.ts'

/** The client tells a helper why it runs, with the contexts of the desktop client. */
export function isContextTold({ context }: HelperClient): boolean {
  return context === 'told'
}

/** The client reads the desktop client's document; docs/contract.md has its rules. */
export function hasDocument({ format }: HelperClient): boolean {
  return format === 'json'
}

/** The client reads another format. */
export function hasOtherFormat(client: HelperClient): boolean {
  return !hasDocument(client)
}

/** The helper prints a token for a request, not keys that sign one. */
export function hasToken({ sentAs }: HelperClient): boolean {
  return !sentAs.includes('signature')
}

/** The client reads the expiry from the output. */
export function isEndRead({ format }: HelperClient): boolean {
  return formatFacts[format].renewedBeforeSec !== undefined
}

/** How many seconds before that expiry it asks again; `undefined` if it reads no expiry, or asks for each request anyway. */
export function findRenewedBeforeSec({ format, refresh }: HelperClient): number | undefined {
  return refresh.keptFor === 'request' ? undefined : formatFacts[format].renewedBeforeSec
}

/** The format that a client reads on stdout; also the value of a helper's `--format`. */
export type ClientFormat = Exclude<OutputFormat, 'headers'>

/**
 * How a client's configuration says what to start. `arguments`: a path and a list of arguments. `words`: one line that the
 * client splits itself, without a shell. `shell-line`: one line for a shell. `path`: a path without arguments.
 */
type StartForm = 'arguments' | 'words' | 'shell-line' | 'path'

/** How a client asks: without any input, or with an argument of its protocol and a request on stdin. */
export type RequestForm = 'none' | 'bazel' | 'git'

/** The form in which the credential reaches the server. */
type SentAs = 'bearer' | 'x-api-key' | 'basic' | 'signature' | 'headers' | 'proxy-authorization'

/**
 * The reaction of a client whose server refused the credential (401). `repeat`: it runs the helper again and repeats the
 * request. `next-request`: it runs the helper again, and the request is lost. `erase`: it tells the helper to forget it, and
 * the request is lost. `nothing`: it goes on with the credential that it has.
 */
export type AfterRefusal = 'repeat' | 'next-request' | 'erase' | 'nothing'

/** When a client runs its helper again. */
interface RefreshHabit {
  /** The client runs the helper again after this many seconds, whatever expiry the credential states; absent if it has no interval. */
  readonly intervalSec?: number
  /** The setting of {@link intervalSec}, as the client spells it. */
  readonly intervalSetting?: string
  /** With an interval of 0 it runs the helper a second time only after a refusal, so that a second run says that there was one. */
  readonly onZeroInterval?: 'after-refusal'
  readonly afterRefusal: AfterRefusal
  /** How long the client remembers a credential: as long as it runs, or for one request. */
  readonly keptFor: 'session' | 'request'
}

/** How long a client waits for its helper. */
interface Waiting {
  /** The limit that applies without a setting; absent if the client waits forever. */
  readonly timeoutSec?: number
  /** The setting of {@link timeoutSec}, as the client spells it. */
  readonly timeoutSetting?: string
  /** After this time the client tells the person that the helper is slow. */
  readonly noticeSec?: number
}

/** The differences between the clients that run helpers. Each row names its sources. */
export interface HelperClient {
  /** The name in sentences, such as `Bazel`. */
  readonly title: string
  readonly format: ClientFormat
  readonly start: StartForm
  readonly request: RequestForm
  /** Whether the client tells a run why it is made. If it does not, our helpers assume that nobody can be asked. */
  readonly context: 'told' | 'not-told'
  /** Variables that the client adds to the environment that it was itself started with; none of them is a secret. */
  readonly variables: readonly string[]
  /** The kind of stdin if the client sends no request on it. */
  readonly stdin: 'at-its-end' | 'inherited'
  readonly waiting: Waiting
  readonly refresh: RefreshHabit
  readonly sentAs: readonly SentAs[]
  /** Whether headers that a helper prints are sent. */
  readonly headers: 'sent' | 'not-taken'
  /** In lower case, headers that it sets itself, beside those that every client reserves (`headers.ts`). */
  readonly reservedHeaders?: readonly string[]
  /** The longest stdout that the client reads; absent if it sets no limit. */
  readonly stdoutBytes?: number
  /** The use of stderr when the run succeeds: it is `dropped`, `warned` about, or `shown` to the person at once. */
  readonly stderrOnSuccess: 'dropped' | 'warned' | 'shown'
  /** The consequence of an exit status other than 0. */
  readonly onFailure: 'request-lost' | 'person-asked'
  /**
   * The servers that get the credential: the hosts that the configuration ties the helper to, the one server of that
   * configuration, or any that the person names.
   */
  readonly hosts: 'limited-by-configuration' | 'one-server' | 'any'
  /** The client's configuration has one helper, or several, each in an entry with a name of its own. */
  readonly entries: 'one' | 'named'
}
