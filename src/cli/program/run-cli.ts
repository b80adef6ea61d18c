import { Command, CommanderError } from 'commander'
import { renderStatuses } from '../../helper/run/exit-statuses.ts'
import { renderVersion } from '../../helper/run/help.ts'
import { wrapWords } from '../../helper/run/wrap-words.ts'
import { exitStatus, HelperError, renderFailure, toHelperError, toOneLine } from '../../runtime/failure.ts'
import { hideArgumentSecrets } from '../../runtime/hiding/credential-text.ts'
import { refuseBrokenNames } from '../../runtime/machine/refuse-broken-names.ts'
import type { Cli } from '../cli.ts'
import { programName } from '../program-name.ts'

/** Runs the `gatepass` command; the exit status is told through `cli.setExitStatus`. */
export async function runCli(cli: Cli): Promise<void> {
  try {
    // The command that is about these files says what is wrong with each.
    if (cli.host.argv[0] !== 'vendor') refuseBrokenNames()
    await (await createProgram(cli)).parseAsync(cli.host.argv, { from: 'user' })
  } catch (thrown) {
    if (thrown instanceof CommanderError) return cli.setExitStatus(thrown.exitCode === 0 ? 0 : exitStatus.usage)
    const failure = toHelperError(thrown)
    cli.terminal.tell(renderFailure(programName, failure))
    cli.setExitStatus(exitStatus[failure.kind])
  }
}

/** The program with the command that is called, or with every command where none is. */
export async function createProgram(cli: Cli): Promise<Command> {
  const version = renderVersion(programName, cli.host.runtimeVersion)
  const columns = () => cli.terminal.columns()
  const program = new Command(programName)
    .description('Tools for a rollout of credential helpers')
    .version(version.trimEnd(), '-V, --version', 'print the version')
    .option('--vendor <file>', 'take the names of the client from this file, in front of a command')
    .helpOption('-h, --help', 'print this text')
    .on('option:vendor', refuseLateOption)
    .helpCommand('help [command]', 'print the help of a command')
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({
      getOutHelpWidth: columns,
      getErrHelpWidth: columns,
      // A line for scripts, such as the version or an error, stays one line; everything else is help.
      writeOut: (text) => cli.terminal.print(text === version ? text : wrapWords(text, columns())),
      writeErr: (text) => cli.terminal.tell(text.startsWith(`${programName}: `) ? text : wrapWords(text, columns())),
      outputError: (text, write) => write(renderError(text)),
    })
  for (const load of chooseCommands(cli.host.argv)) (await load())(program, cli)
  hintAtHelp(program, programName)
  addStatuses(program)
  return program
}

/** In front of a command it was read, and taken away, before this program was loaded. */
function refuseLateOption(): never {
  const hint = `write it in front of the command: ${programName} --vendor FILE COMMAND`
  throw new HelperError('usage', '--vendor stands behind the command, where it changes no name', hint)
}

/** An error of the command line, on one line; a suggestion has the second. */
function renderError(text: string): string {
  const [, message = text, suggestion = ''] = /^error: (.*?)(\n\(Did you mean .*\))?\n?$/s.exec(text) ?? []
  return `${programName}: ${toOneLine(hideWords(message))}${suggestion}\n`
}

/** What is a credential by its form or by the name of its option is not repeated. */
function hideWords(message: string): string {
  return message.replace(/'([^']*)'/g, (_quoted, word: string) => `'${hideArgumentSecrets([word])[0]}'`)
}

type AddCommand = (program: Command, cli: Cli) => void

/** Every command, in the order of the help; loaded when it is called, because all together take three times as long to start. */
const commands: Readonly<Record<string, () => Promise<AddCommand>>> = {
  choose: async () => (await import('../choose/command.ts')).addChoose,
  config: async () => (await import('../config/command.ts')).addConfig,
  'check-helper': async () => (await import('../check-helper/command.ts')).addCheckHelper,
  simulate: async () => (await import('../simulate/command.ts')).addSimulate,
  verify: async () => (await import('../verify/command.ts')).addVerify,
  vendor: async () => (await import('../vendor/command.ts')).addVendor,
  doctor: async () => (await import('../doctor/command.ts')).addDoctor,
  api: async () => (await import('../api/command.ts')).addApi,
  gateway: async () => (await import('../gateway/command.ts')).addGateway,
  fleet: async () => (await import('../fleet/command.ts')).addFleet,
  cache: async () => (await import('./cache.ts')).addCache,
  completion: async () => (await import('./completion.ts')).addCompletion,
}

/** The command that is called; all of them where none is, because help, completion and suggestions name every one. */
function chooseCommands([name = '']: readonly string[]): (() => Promise<AddCommand>)[] {
  if (name === '--version' || name === '-V') return []
  const called = Object.hasOwn(commands, name) ? commands[name] : undefined
  return called ? [called] : Object.values(commands)
}

/** The table stands in the help of the program; each command says what its own answers are, and leads there. */
function addStatuses(program: Command): void {
  program.addHelpText('after', `\nExit status, the same in every command\n${renderStatuses('commands').trimEnd()}`)
  const leadThere = (command: Command): void => {
    command.addHelpText('after', `\nAll exit statuses: ${programName} --help`)
    command.commands.forEach(leadThere)
  }
  program.commands.forEach(leadThere)
}

/** After a command line that cannot be used, each command names its own help. */
function hintAtHelp(command: Command, path: string): void {
  command.showHelpAfterError(`${programName}: hint: see: ${path} --help`)
  for (const child of command.commands) hintAtHelp(child, `${path} ${child.name()}`)
}
