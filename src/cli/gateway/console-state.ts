import { Option } from 'commander'
import { openState, type State } from '../../gateway/store/state.ts'
import { findErrorCode, HelperError } from '../../runtime/failure.ts'
import { renderJson } from '../../runtime/values/json-value.ts'
import type { Cli } from '../cli.ts'

/** The option for the state of a console command. */
export interface StateFlags {
  readonly db: string
}

/** Creates an option that is required, because a state in memory would end with the command. */
export function createStateOption(): Option {
  return new Option('--db <file>', 'the file in which the gateway keeps its state').makeOptionMandatory()
}

/** Opens the state for one command, also while a gateway uses it, and prints the result of `work`. */
export function answerFromState({ host, terminal }: Cli, { db }: StateFlags, work: (state: State) => unknown): void {
  const state = openStateFile(db, host.clock.now)
  try {
    terminal.print(renderJson(work(state)))
  } finally {
    state.close()
  }
}

/** @throws {HelperError} `refused` for a file that is not our state or cannot be used. */
export function openStateFile(file: string, now: () => number): State {
  try {
    return openState({ file, now })
  } catch (cause) {
    const code = findErrorCode(cause)
    throw new HelperError('refused', `${file} cannot be used as a state (${code})`, 'name another file with --db', {
      cause,
    })
  }
}
