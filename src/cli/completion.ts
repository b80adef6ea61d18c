import { Argument, type Command, type Option } from 'commander'
import { programName } from '../version.ts'
import type { Cli, ProgramCommand } from './cli.ts'

/** `gatepass completion`: a script for a shell, which runs `gatepass complete` for each press of the tab key. */
export const completionCommand: ProgramCommand = {
  add: addCompletion,
  examples: {
    completion: [
      'source <(gatepass completion bash)',
      'source <(gatepass completion zsh)',
      'gatepass completion fish | source',
    ],
  },
}

/**
 * A script for each shell, which runs `gatepass complete`. Without completions, a shell offers file names. Bash 3.2, which macOS includes,
 * cannot read lines into an array; zsh loads a file of this name by itself, or a person loads it.
 */
export const completionScripts: Readonly<Record<Shell, string>> = {
  bash: `_${programName}() {
  local IFS=$'\\n'
  COMPREPLY=($(${programName} complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _${programName} ${programName}
`,
  zsh: `#compdef ${programName}
_${programName}() {
  local -a found
  found=("\${(@f)$(${programName} complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=("\${(@)found/$'\\t'/:}")
  if [[ -n "$found" ]]; then _describe ${programName} found; else _files; fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _${programName} "$@"; else compdef _${programName} ${programName}; fi
`,
  fish: `function __${programName}
  set -l found (${programName} complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
  if set -q found[1]
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c ${programName} -f -a '(__${programName})'
`,
}

/** The shells that can complete what a person types. */
const shells = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof shells)[number]

function addCompletion(program: Command, { terminal }: Cli): void {
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
      listCompletions(program, words)
        .map(({ word, summary }) => `${word}\t${summary}\n`)
        .join(''),
    ),
  )
}

interface Completion {
  readonly word: string
  readonly summary: string
}

/** Lists the completions of the last word; empty if it is free text or a file. */
function listCompletions(program: Command, words: readonly string[]): Completion[] {
  const current = words.at(-1) ?? ''
  const { command, expecting } = parseCalledCommand(program, words.slice(0, -1))
  return listCandidates(command, expecting, current).filter(({ word }) => word.startsWith(current))
}

/** Parses the words before the cursor: which command they call, and which option's value comes next. */
function parseCalledCommand(program: Command, words: readonly string[]): { command: Command; expecting?: Option } {
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
