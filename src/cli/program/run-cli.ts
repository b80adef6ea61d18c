import { Command, CommanderError } from 'commander'
import { renderVersion } from '../../helper/run/help.ts'
import { exitStatus, renderFailure, toHelperError } from '../../runtime/failure.ts'
import { addApi } from '../api/command.ts'
import { addCheckHelper } from '../check-helper/command.ts'
import type { Cli } from '../cli.ts'
import { addConfig } from '../config/command.ts'
import { addDoctor } from '../doctor/command.ts'
import { addGateway } from '../gateway/command.ts'
import { programName } from '../program-name.ts'
import { addSimulate } from '../simulate/command.ts'
import { addCache } from './cache.ts'
import { addCompletion } from './completion.ts'

/** Runs the `gatepass` command; the exit status is told through `cli.setExitStatus`. */
export async function runCli(cli: Cli): Promise<void> {
  try {
    await createProgram(cli).parseAsync(cli.host.argv, { from: 'user' })
  } catch (thrown) {
    if (thrown instanceof CommanderError) return cli.setExitStatus(thrown.exitCode === 0 ? 0 : exitStatus.usage)
    const failure = toHelperError(thrown)
    cli.terminal.tell(renderFailure(programName, failure))
    cli.setExitStatus(exitStatus[failure.kind])
  }
}

function createProgram(cli: Cli): Command {
  const program = new Command(programName)
    .description('Tools for a rollout of credential helpers')
    .version(renderVersion(programName, cli.host.runtimeVersion).trimEnd(), '--version', 'print the version')
    .helpOption('--help', 'print this text')
    .helpCommand('help [command]', 'print the help of a command')
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: (text) => cli.terminal.print(text),
      writeErr: (text) => cli.terminal.tell(text),
      outputError: (text, write) => write(text.replace(/^error:/, `${programName}:`)),
    })
  addConfig(program, cli)
  addCheckHelper(program, cli)
  addSimulate(program, cli)
  addDoctor(program, cli)
  addApi(program, cli)
  addGateway(program, cli)
  addCache(program, cli)
  addCompletion(program, cli)
  hintAtHelp(program, programName)
  return program
}

/** After a command line that cannot be used, each command names its own help. */
function hintAtHelp(command: Command, path: string): void {
  command.showHelpAfterError(`${programName}: hint: see: ${path} --help`)
  for (const child of command.commands) hintAtHelp(child, `${path} ${child.name()}`)
}
