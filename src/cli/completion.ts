import { Argument, type Command, type Option } from 'commander'
import type { Cli } from './cli.ts'
import { completionScripts, type Shell, shells } from './completion-scripts.ts'

/** `gatepass completion`: a script for a shell, which asks `gatepass complete` whenever the tab key is pressed. */
export function addCompletion(program: Command, { terminal }: Cli): void {
  program
    .command('completion')
    .description('print a completion script')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText(
      'after',
      '\nThe examples turn it on for this session in bash, zsh and fish; put the line into the start file of the shell to keep it.',
    )
    .action((shell: Shell) => terminal.print(completionScripts[shell]))
  program.command('complete [words...]', { hidden: true }).action((words: readonly string[]) =>
    terminal.print(
      findCompletions(program, words)
        .map(({ word, summary }) => `${word}\t${summary}\n`)
        .join(''),
    ),
  )
}

interface Completion {
  readonly word: string
  readonly summary: string
}

/** The possible completions of the last word; none where it is free text or a file. */
function findCompletions(program: Command, words: readonly string[]): Completion[] {
  const current = words.at(-1) ?? ''
  const { command, expecting } = findCalledCommand(program, words.slice(0, -1))
  return listCandidates(command, expecting, current).filter(({ word }) => word.startsWith(current))
}

/** The command that words lead to, and the option whose value comes next. */
function findCalledCommand(program: Command, words: readonly string[]): { command: Command; expecting?: Option } {
  let command = program
  let expecting: Option | undefined
  for (const word of words) {
    const option: Option | undefined = expecting ? undefined : command.options.find(({ long }) => long === word)
    if (!expecting && !option) command = command.commands.find((child) => child.name() === word) ?? command
    expecting = option?.required ? option : undefined
  }
  return { command, ...(expecting && { expecting }) }
}

function listCandidates(command: Command, expecting: Option | undefined, current: string): Completion[] {
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
