/** What a client of helpers is called in `--client`. */
export type ClientName = 'desktop' | 'codex' | 'api-key-helper' | 'kubernetes' | 'aws' | 'bazel' | 'git'

/** What a client reads on stdout; also the value of a helper's `--format`. */
export type ClientFormat = 'json' | 'token' | 'exec-credential' | 'credential-process' | 'bazel' | 'git'

/**
 * How a client's configuration says what to start. `arguments`: a path and a list of arguments. `words`: one line that the
 * client splits itself, without a shell. `shell-line`: one line for a shell. `path`: a path alone, no arguments.
 */
export type StartForm = 'arguments' | 'words' | 'shell-line' | 'path'

/** How a client asks: with nothing, or with an argument of its protocol and a request on stdin. */
export type RequestForm = 'none' | 'bazel' | 'git'

/** In which form the credential reaches the server. */
export type SentAs = 'bearer' | 'x-api-key' | 'basic' | 'signature' | 'headers'

/**
 * What a client does after its server refused the credential (401). `repeat`: it runs the helper again and repeats the
 * request. `next-request`: it runs the helper again, and the request is lost. `erase`: it tells the helper to forget it, and
 * the request is lost. `nothing`: it goes on with the credential that it has.
 */
export type AfterRefusal = 'repeat' | 'next-request' | 'erase' | 'nothing'

/** When a client runs its helper again. */
export interface Refresh {
  /** After how many seconds, whatever the credential says about its end; absent where no time is set. */
  readonly intervalSec?: number
  /** The setting of {@link intervalSec}, as the client spells it. */
  readonly intervalSetting?: string
  readonly afterRefusal: AfterRefusal
  /** How long the client remembers a credential: as long as it runs, or for one request. */
  readonly keptFor: 'session' | 'request'
}

/** How long a client waits for its helper. */
export interface Waiting {
  /** Without a setting; absent where the client waits without an end. */
  readonly timeoutSec?: number
  /** The setting of {@link timeoutSec}, as the client spells it. */
  readonly timeoutSetting?: string
  /** After so long the client tells the person that the helper is slow. */
  readonly noticeSec?: number
}

/** What differs between the clients that run helpers. Each row names its sources. */
export interface HelperClient {
  /** For sentences, such as `Bazel`. */
  readonly title: string
  readonly format: ClientFormat
  readonly start: StartForm
  readonly request: RequestForm
  /** Whether a run is told why it is made. Where it is not, our helpers take every run for one without a person. */
  readonly context: 'told' | 'not-told'
  /** Variables that the client adds to the environment that it was itself started with; none of them is a secret. */
  readonly variables: readonly string[]
  /** What stdin is where the client sends no request on it. */
  readonly stdin: 'at-its-end' | 'inherited'
  readonly waiting: Waiting
  readonly refresh: Refresh
  readonly sentAs: readonly SentAs[]
  /** Whether headers that a helper prints are sent. */
  readonly headers: 'sent' | 'not-taken'
  /** The most that the client reads of stdout; absent where it sets no limit. */
  readonly stdoutBytes?: number
  /** What becomes of stderr when the run succeeds: `dropped`, `warned` about, or `shown` to the person at once. */
  readonly stderrOnSuccess: 'dropped' | 'warned' | 'shown'
  /** What an exit status other than 0 leads to. */
  readonly onFailure: 'request-lost' | 'person-asked'
  /**
   * Which servers get the credential: the hosts that the configuration ties the helper to, the one server of that
   * configuration, or any that the person names.
   */
  readonly hosts: 'limited-by-configuration' | 'one-server' | 'any'
}
