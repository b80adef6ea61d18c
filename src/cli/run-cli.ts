import { Command, CommanderError } from 'commander'
import type { AnyHelper } from '../helper/define-helper.ts'
import { isVersionJson, renderStatuses, renderVersion, renderVersionJson, wrapWords } from '../helper/run/help.ts'
import { runAsChild } from '../helper/run-as-child.ts'
import {
  exitStatus,
  HelperError,
  outcomeStatus,
  refuseBrokenNames,
  renderFailure,
  renderHint,
  toHelperError,
  toOneLine,
} from '../runtime/failure.ts'
import { createSystemHost, endProcess, type Host } from '../runtime/host.ts'
import { isReadAbandoned } from '../runtime/named-file.ts'
import { parseVendorOption } from '../runtime/read-names.ts'
import { hideArgumentSecrets } from '../runtime/text/credential-text.ts'
import { findNearestName } from '../runtime/text/nearest-name.ts'
import { toTypedCommands } from '../runtime/typed-commands.ts'
import { sdkChild } from '../sources/aws/helper-declaration.ts'
import { selectNameSource } from '../vendor/setting.ts'
import { programName } from '../version.ts'
import type { Cli, Examples, ProgramCommand } from './cli.ts'
import { openTerminal } from './terminal.ts'

/** Runs the `gatepass` command as a process. */
export async function main(helpers: ReadonlyMap<string, AnyHelper>): Promise<void> {
  const host = createSystemHost()
  const child = runAsChild(programName, host, sdkChild)
  if (child) return child
  const argv = parseVendorOption(host.argv).rest
  let lost: HelperError | undefined
  const terminal = openTerminal((failure) => {
    if (lost === undefined) terminal.tell(renderFailure(programName, failure))
    lost = failure
    process.exitCode = exitStatus[failure.kind]
  })
  const spell = (text: string) => toTypedCommands(text, programName, { ...host, argv })
  await runCli({
    // The entry point has already read the option.
    host: { ...host, argv },
    terminal: {
      ...terminal,
      print: (text) => terminal.print(spell(text)),
      tell: (text) => terminal.tell(spell(text)),
    },
    helpers,
    setExitStatus: (status) => {
      // If the answer could not be printed, the status is already set.
      if (lost === undefined) process.exitCode = status
    },
  })
  // A thread is still waiting for the vendor file, or for a file that was named.
  const isLate = selectNameSource().failure?.kind === 'late'
  if (!isLate && !isReadAbandoned()) return
  await terminal.flush()
  endProcess(isLate ? exitStatus.late : Number(process.exitCode ?? 0), 'abandoned')
}

/** Runs the `gatepass` command; the exit status is told through `cli.setExitStatus`. */
export async function runCli(cli: Cli): Promise<void> {
  try {
    // `gatepass vendor` reports each problem of these files itself.
    if (cli.host.argv[0] !== 'vendor') refuseBrokenNames()
    if (isVersionJson(cli.host.argv)) return cli.terminal.print(renderVersionJson(programName, cli.host))
    await (await createProgram(cli)).parseAsync(cli.host.argv, { from: 'user' })
  } catch (thrown) {
    if (thrown instanceof CommanderError)
      return cli.setExitStatus(thrown.exitCode === 0 ? outcomeStatus.done : exitStatus.usage)
    const failure = toHelperError(thrown)
    cli.terminal.tell(renderFailure(programName, failure))
    cli.setExitStatus(exitStatus[failure.kind])
  }
}

/** Creates the program with the called command, or with all commands if none is called. */
export async function createProgram(cli: Cli): Promise<Command> {
  const version = renderVersion(programName, cli.host.runtimeVersion)
  const columns = () => cli.terminal.columns()
  const program = new Command(programName)
    .description('Tools for a rollout of credential helpers')
    .version(version.trimEnd(), '-V, --version', 'print the version; with --json, as one JSON document')
    .option('--vendor <file>', 'take the names of the client from this file, in front of a command')
    .helpOption('-h, --help', 'print this text')
    .on('option:vendor', refuseLateOption)
    .helpCommand('help [command]', 'print the help of a command')
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({
      getOutHelpWidth: columns,
      getErrHelpWidth: columns,
      // A line for scripts, such as the version or an error, stays one line; any other text is help.
      writeOut: (text) =>
        cli.terminal.print(text === version || text.startsWith(examplesTitle) ? text : wrapWords(text, columns())),
      writeErr: (text) => cli.terminal.tell(text.startsWith(`${programName}: `) ? text : wrapWords(text, columns())),
      outputError: (text, write) => write(renderError(text)),
    })
  const called = await Promise.all(chooseCommands(cli.host.argv).map((load) => load()))
  for (const { add } of called) await add(program, cli)
  addHelpHints(program, programName)
  addStatuses(program)
  const examples = Object.assign({ '': ownExamples }, ...called.map((command) => command.examples))
  addExamples(program, examples, cli.host)
  return program
}

/** Refuses `--vendor` after a command: before the command, the option was read and removed before this program was loaded. */
function refuseLateOption(): never {
  const hint = `write it in front of the command: ${programName} --vendor FILE COMMAND`
  throw new HelperError('usage', '--vendor is behind the command, where it has no effect', hint)
}

/** Renders an error of the command line on one line; commander puts a suggestion, which holds names of ours, on a second one. */
function renderError(text: string): string {
  const [, message = text, suggestion] = /^error: (.*?)(?:\n\(Did you mean (.*)\))?\n?$/s.exec(text) ?? []
  const suggested = suggestion === undefined ? '' : ` (did you mean ${suggestion})`
  return `${programName}: ${toOneLine(hideWords(message))}${suggested}\n`
}

/** Hides words that are credentials by their form or by the name of their option. */
function hideWords(message: string): string {
  return message.replace(/'([^']*)'/g, (_quoted, word: string) => `'${hideArgumentSecrets([word])[0]}'`)
}

/** Every command, in the order of the help. Each is loaded when it is called, because loading all takes three times as long. */
const commands: Readonly<Record<string, () => Promise<ProgramCommand>>> = {
  setup: async () => (await import('./setup/add-setup.ts')).setupCommand,
  choose: async () => (await import('./choose.ts')).chooseCommand,
  config: async () => (await import('./config/add-config.ts')).configCommand,
  'check-helper': async () => (await import('./check-helper.ts')).checkHelperCommand,
  simulate: async () => (await import('./simulate/add-simulate.ts')).simulateCommand,
  verify: async () => (await import('./verify/add-verify.ts')).verifyCommand,
  vendor: async () => (await import('./vendor.ts')).vendorCommand,
  doctor: async () => (await import('./doctor/add-doctor.ts')).doctorCommand,
  run: async () => (await import('./run-client.ts')).runCommand,
  api: async () => (await import('./api/add-api.ts')).apiCommand,
  gateway: async () => (await import('./gateway/add-gateway.ts')).gatewayCommand,
  bootstrap: async () => (await import('./bootstrap/add-bootstrap.ts')).bootstrapCommand,
  fleet: async () => (await import('./fleet.ts')).fleetCommand,
  cache: async () => (await import('./cache.ts')).cacheCommand,
  completion: async () => (await import('./completion.ts')).completionCommand,
}

/** Chooses the called command; every command if none is called, because help, completion and suggestions list them all. */
function chooseCommands([name = '']: readonly string[]): (() => Promise<ProgramCommand>)[] {
  if (name === '--version' || name === '-V') return []
  const called = Object.hasOwn(commands, name) ? commands[name] : undefined
  return called ? [called] : Object.values(commands)
}

/** After an error of the command line, each command suggests its own help. */
function addHelpHints(command: Command, path: string): void {
  command.showHelpAfterError(renderHint(programName, `see: ${path} --help`).trimEnd())
  command.on('beforeHelp', ({ error }: { error: boolean }) => error && refuseUnknownHelp(command))
  for (const child of command.commands) addHelpHints(child, `${path} ${child.name()}`)
}

/** Refuses a name behind `help` that no command has. Commander would print the help of the command above it, and not say why. */
function refuseUnknownHelp(command: Command): void {
  const [word, name] = command.args
  if (word !== 'help' || name === undefined) return
  const near = findNearestName(
    name,
    command.commands.map((child) => child.name()),
  )
  command.error(`unknown command '${name}'${near === undefined ? '' : ` (did you mean ${near}?)`}`)
}

/** Adds the table of exit statuses to the help of the program; each command describes its own statuses and refers to the table. */
function addStatuses(program: Command): void {
  program.addHelpText('after', `\nExit status, the same in every command\n${renderStatuses('commands').trimEnd()}`)
  const leadThere = (command: Command): void => {
    command.addHelpText('after', `\nAll exit statuses: ${programName} --help`)
    command.commands.forEach(leadThere)
  }
  program.commands.forEach(leadThere)
}

const examplesTitle = '\nExamples:\n'

/** The examples of the program itself. */
const ownExamples = [
  'gatepass choose --gateway bedrock --people aws --client desktop',
  'gatepass simulate',
  'gatepass gateway start',
]

/** Ends the help of each command with its examples, which are not wrapped, so that a command can be copied. */
function addExamples(program: Command, examples: Examples, host: Host): void {
  const addTo = (command: Command, words: readonly string[]): void => {
    const lines = (examples[words.join(' ')] ?? []).flatMap((example) => example.split('\n'))
    const text = lines.map((line) => `  ${line}`).join('\n')
    command.addHelpText('after', () => examplesTitle + toTypedCommands(text, programName, host))
    for (const child of command.commands) addTo(child, [...words, child.name()])
  }
  addTo(program, [])
}
