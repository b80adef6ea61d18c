import type { HelperClient } from '../../../contract/clients/client.ts'
import type { Environment } from '../../../runtime/environment.ts'
import type { BrokenProxy } from './broken-proxy.ts'
import type { Run } from './run.ts'

/** The helper that is checked, and the environment in which it runs. */
export interface Subject {
  /** Whose rules the runs follow. */
  readonly client: HelperClient
  /** The full URL of the server that a client with requests asks for. */
  readonly server: string
  readonly command: string
  readonly args: readonly string[]
  readonly env: Environment
  readonly platform: NodeJS.Platform
  /** The check's own time, in epoch milliseconds. */
  readonly now: () => number
  readonly signal: AbortSignal
}

/** One run that a scenario asks for. */
export interface RunRequest {
  readonly title: string
  /** Value of the context variable; `undefined` leaves it unset. */
  readonly context: string | undefined
  readonly limitMs: number
  readonly purpose?: Run['purpose']
  /** Replaces variables of the run's environment. */
  readonly env?: Environment
  readonly args?: readonly string[]
  readonly stdin?: 'closed' | 'silent' | 'terminal'
  /** What a client with requests asks; `get` by default. An `erase` names the last credential. */
  readonly operation?: string
  /** In place of {@link Subject.server}. */
  readonly server?: string
  readonly proxy?: BrokenProxy
}
