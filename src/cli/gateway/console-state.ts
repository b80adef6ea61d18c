import { Option } from 'commander'
import { openState, type State } from '../../gateway/store/state.ts'
import { HelperError } from '../../runtime/failure.ts'
import { renderJson } from '../../runtime/values/json-value.ts'
import type { Cli } from '../cli.ts'

/** The state that a command of the console works on. */
export interface StateFlags {
  readonly db: string
}

/** The option that every command of the console needs: a state in memory would end with the command. */
export function createStateOption(): Option {
  return new Option('--db <file>', 'the file in which the gateway keeps its state').makeOptionMandatory()
}

/** Opens the state for one command, beside a running gateway if there is one, and prints what `work` answers. */
export function answerFromState({ host, terminal }: Cli, { db }: StateFlags, work: (state: State) => unknown): void {
  const state = openFile(db, host.clock.now)
  try {
    terminal.print(renderJson(work(state)))
  } finally {
    state.close()
  }
}

/** @throws {HelperError} `refused` for a file that is not a state of ours or cannot be used. */
export function openFile(file: string, now: () => number): State {
  try {
    return openState({ file, now })
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new HelperError('refused', `${file} cannot be used as a state (${code})`, 'name another file with --db', {
      cause,
    })
  }
}
