// Folder: the `gatepass` command and what its subcommands share: the terminal, sources of documents, consent to run a helper.

import type { Command } from 'commander'
import type { Turn } from '../client/session/turn.ts'
import type { AnyHelper } from '../helper/define-helper.ts'
import type { Host } from '../runtime/host.ts'
import { createStreamFetch } from '../runtime/network/stream-fetch.ts'
import { readNetwork } from './network.ts'
import type { Terminal } from './terminal.ts'

/** The arguments of every subcommand: the world, the terminal and the helpers. */
export interface Cli {
  readonly host: Host
  readonly terminal: Terminal
  /** The suite's helpers by name, as the folder `helpers/` lists them. */
  readonly helpers: ReadonlyMap<string, AnyHelper>
  /** Sets the exit status of the process. A subcommand that does not call it has succeeded. */
  setExitStatus(status: number): void
}

/** Adds one command to the program, or to the command that it belongs to. */
export type AddCommand = (parent: Command, cli: Cli) => void | Promise<void>

/** A command of the program, with the examples that end its help and that of the commands below it. */
export interface ProgramCommand {
  readonly add: AddCommand
  readonly examples: Examples
}

/**
 * Examples by the words that call the command. They can be pasted: a document comes from the first example of `config init`, a state
 * from that of `gateway seed`, and an ID stands in a variable.
 */
export type Examples = Readonly<Record<string, readonly string[]>>

/** One turn is one request, over the network settings of this command. */
export async function openTurn({ host }: Cli): Promise<NonNullable<Turn['fetch']>> {
  return createStreamFetch({ network: await readNetwork(host), silenceSec })
}

/** Longer than a turn itself waits for its gateway. */
const silenceSec = 3600
