import type { AnyHelper } from '../helper/define-helper.ts'
import type { Host } from '../runtime/host.ts'
import type { Terminal } from './terminal.ts'

/** What every subcommand is given. */
export interface Cli {
  readonly host: Host
  readonly terminal: Terminal
  /** The suite's helpers by name, as the folder `helpers/` lists them. */
  readonly helpers: ReadonlyMap<string, AnyHelper>
  /** What the process will exit with; a subcommand that says nothing has succeeded. */
  setExitStatus(status: number): void
}
