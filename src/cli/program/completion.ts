import { Argument, type Command, type Option } from 'commander'
import type { Cli } from '../cli.ts'
import { programName } from '../program-name.ts'
import { completionScripts, type Shell, shells } from './completion-scripts.ts'

/** `gatepass completion`: a script for a shell, which asks `gatepass complete` whenever the tab key is pressed. */
export function addCompletion(program: Command, { terminal }: Cli): void {
  program
    .command('completion')
    .description('print a completion script')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText('after', `\n${shells.map((shell) => `${shell}:`.padEnd(6) + use[shell]).join('\n')}`)
    .action((shell: Shell) => terminal.print(completionScripts[shell]))
  program.command('complete [words...]', { hidden: true }).action((words: readonly string[]) =>
    terminal.print(
      findCompletions(program, words)
        .map(({ word, summary }) => `${word}\t${summary}\n`)
        .join(''),
    ),
  )
}

/** The line that turns it on, for this session or in the shell's start file. */
const use: Readonly<Record<Shell, string>> = {
  bash: `source <(${programName} completion bash)`,
  zsh: `source <(${programName} completion zsh)`,
  fish: `${programName} completion fish | source`,
}

interface Completion {
  readonly word: string
  readonly summary: string
}

/** What the last of the words can become; nothing where it is free text or a file. */
function findCompletions(program: Command, words: readonly string[]): Completion[] {
  const current = words.at(-1) ?? ''
  const { command, expecting } = follow(program, words.slice(0, -1))
  return candidates(command, expecting, current).filter(({ word }) => word.startsWith(current))
}

/** The command that words lead to, and the option whose value comes next. */
function follow(program: Command, words: readonly string[]): { command: Command; expecting?: Option } {
  let command = program
  let expecting: Option | undefined
  for (const word of words) {
    const option: Option | undefined = expecting ? undefined : command.options.find(({ long }) => long === word)
    if (!expecting && !option) command = command.commands.find((child) => child.name() === word) ?? command
    expecting = option?.required ? option : undefined
  }
  return { command, ...(expecting && { expecting }) }
}

function candidates(command: Command, expecting: Option | undefined, current: string): Completion[] {
  const choicesOf = ({ argChoices = [], description }: Option | Argument) =>
    argChoices.map((word) => ({ word, summary: description }))
  if (expecting) return choicesOf(expecting)
  if (current.startsWith('-')) {
    const options = command.options.map(({ long, description }) => ({ word: long ?? '', summary: description }))
    return [...options, { word: '--help', summary: 'print this text' }]
  }
  const visible = command.createHelp().visibleCommands(command)
  const subcommands = visible.map((child) => ({ word: child.name(), summary: child.description() }))
  return [...subcommands, ...command.registeredArguments.flatMap(choicesOf)]
}
