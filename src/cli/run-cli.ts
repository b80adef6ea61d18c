import { Command, CommanderError } from 'commander'
import { exitStatus, renderFailure, toHelperError } from '../runtime/failure.ts'
import { version } from '../version.ts'
import type { Cli } from './cli.ts'
import { addCompletion } from './completion.ts'
import { addConfig } from './config.ts'

/** The command's name, in messages and scripts. */
export const programName = 'gatepass'

/** Runs the `gatepass` command; the exit status is told through `cli.conclude`. */
export async function runCli(cli: Cli): Promise<void> {
  try {
    await createProgram(cli).parseAsync(cli.host.argv, { from: 'user' })
  } catch (thrown) {
    if (thrown instanceof CommanderError) return cli.conclude(thrown.exitCode === 0 ? 0 : exitStatus.usage)
    const failure = toHelperError(thrown)
    cli.terminal.tell(renderFailure(programName, failure))
    cli.conclude(exitStatus[failure.kind])
  }
}

function createProgram(cli: Cli): Command {
  const program = new Command(programName)
    .description('Tools for a rollout of credential helpers')
    .version(version, '--version', 'print the version')
    .helpOption('--help', 'print this text')
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: (text) => cli.terminal.print(text),
      writeErr: (text) => cli.terminal.tell(text),
      outputError: (text, write) => write(text.replace(/^error:/, `${programName}:`)),
    })
    .configureHelp({ showGlobalOptions: false })
  addConfig(program, cli)
  addCompletion(program, cli)
  return program
}
