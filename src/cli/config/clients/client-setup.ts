/** What the configuration of a client is written from. */
export interface ClientSetup {
  /** The helper's absolute path on that system, and its arguments. */
  readonly command: string
  readonly args: readonly string[]
  readonly system: 'posix' | 'windows'
  /** What the provider, profile or user is called in the configuration. */
  readonly name: string
  /** The server that gets the credential; empty where the client is told by other settings. */
  readonly baseUrl: string
  /** How long the client waits for the helper, where it can be told. */
  readonly timeoutSec: number
  /** After which time the client runs the helper again, where it can be told. */
  readonly intervalSec: number
  /** The absolute path of a script that passes the arguments on, for clients that take a path alone. */
  readonly wrapper: string
}

/** A configuration, and what is left to do with it. */
export interface ClientConfiguration {
  readonly text: string
  /** Sentences without an end, in the imperative. */
  readonly next: readonly string[]
}

/** Writes the configuration of one client; pure. */
export type RenderClient = (setup: ClientSetup) => ClientConfiguration
