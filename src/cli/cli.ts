// Folder: the `gatepass` command and the shared parts of its subcommands: the terminal, sources of documents, consent to run a helper.

import type { Command } from 'commander'
import type { AnyHelper } from '../helper/define-helper.ts'
import type { Host } from '../runtime/host.ts'
import type { Terminal } from './terminal.ts'

/** The parts that every subcommand needs: the world, the terminal and the helpers. */
export interface Cli {
  readonly host: Host
  readonly terminal: Terminal
  /** The suite's helpers by name, as the folder `helpers/` lists them. */
  readonly helpers: ReadonlyMap<string, AnyHelper>
  /** Sets the exit status of the process. Without a call, a subcommand has succeeded. */
  setExitStatus(status: number): void
}

/** Adds a command to the program, or to its parent command. */
export type AddCommand = (parent: Command, cli: Cli) => void | Promise<void>

/** A command of the program, with the examples at the end of its help and of the help of its subcommands. */
export interface ProgramCommand {
  readonly add: AddCommand
  readonly examples: Examples
}

/**
 * Examples by the words of their command. They can be pasted: a document is that of the first example of `config init`, a state is that of
 * `gateway seed`, and an ID is a variable.
 */
export type Examples = Readonly<Record<string, readonly string[]>>
