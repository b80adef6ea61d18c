import { Argument, type Command } from 'commander'
import type { Cli } from './cli.ts'

const shells = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof shells)[number]

/** `gatepass completion`: a script that a shell reads, derived from the commands as they are. */
export function addCompletion(program: Command, { terminal }: Cli): void {
  program
    .command('completion')
    .description('print a completion script')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText(
      'after',
      '\nbash: source <(gatepass completion bash)\nzsh:  source <(gatepass completion zsh)\nfish: gatepass completion fish | source',
    )
    .action((shell: Shell) => terminal.print(render[shell](program.name(), listPlaces(program))))
}

/** One command with what can follow it. */
interface Place {
  /** Words after the program's name that lead here. */
  readonly words: readonly string[]
  readonly next: readonly { readonly word: string; readonly summary: string }[]
  /** Choices for an option's value, by the option's flag. */
  readonly choices: Readonly<Record<string, readonly string[]>>
}

function listPlaces(command: Command, words: readonly string[] = []): Place[] {
  const subcommands = command.commands.map((child) => ({ word: child.name(), summary: child.description() }))
  const options = command.options.map(({ long, description }) => ({ word: long ?? '', summary: description }))
  const values = command.registeredArguments.flatMap(({ argChoices = [], description }) =>
    argChoices.map((word) => ({ word, summary: description })),
  )
  const choices = command.options
    .filter(({ argChoices }) => argChoices)
    .map(({ long, argChoices }) => [long, argChoices])
  const help = { word: '--help', summary: 'print help' }
  const here = { words, next: [...subcommands, ...values, ...options, help], choices: Object.fromEntries(choices) }
  return [here, ...command.commands.flatMap((child) => listPlaces(child, [...words, child.name()]))]
}

const render: Readonly<Record<Shell, (program: string, places: readonly Place[]) => string>> = {
  bash: renderBash,
  zsh: (program, places) => `autoload -U +X bashcompinit && bashcompinit\n${renderBash(program, places)}`,
  fish: renderFish,
}

/** Walks the words typed so far to the deepest command; where nothing fits, the shell completes file names. */
function renderBash(program: string, places: readonly Place[]): string {
  const cases = places.map(
    ({ words, next }) => `    ${quote(words.join(' '))}) next=${quote(next.map(({ word }) => word).join(' '))} ;;`,
  )
  const values = places.flatMap(({ words, choices }) =>
    Object.entries(choices).map(
      ([flag, list]) => `    ${quote([...words, flag].join(' '))}) next=${quote(list.join(' '))} ;;`,
    ),
  )
  const paths = places.map(({ words }) => words.join(' ')).filter((path) => path !== '')
  return `_${program}() {
  local place='' next='' word current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]}
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${place:+$place }$word" in
      ${paths.map(quote).join('|')}) place="\${place:+$place }$word" ;;
    esac
  done
  case "$place" in
${cases.join('\n')}
  esac
  case "\${place:+$place }$previous" in
${values.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$next" -- "$current"))
}
complete -o default -F _${program} ${program}
`
}

function renderFish(program: string, places: readonly Place[]): string {
  const lines = places.flatMap(({ words, next, choices }) =>
    next.map(({ word, summary }) => renderFishLine(program, words, word, summary, choices[word], places)),
  )
  return `${lines.join('\n')}\n`
}

function renderFishLine(
  program: string,
  words: readonly string[],
  word: string,
  summary: string,
  choices: readonly string[] | undefined,
  places: readonly Place[],
): string {
  const deeper = places.filter(
    (other) => other.words.length === words.length + 1 && words.every((w, i) => other.words[i] === w),
  )
  const seen = words.map((item) => `__fish_seen_subcommand_from ${item}`)
  const unseen =
    deeper.length > 0
      ? [`not __fish_seen_subcommand_from ${deeper.map(({ words: [...all] }) => all.at(-1)).join(' ')}`]
      : []
  const condition = [...seen, ...unseen].join('; and ')
  const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-f -a ${word}`
  const values = choices ? ` -x -a ${quote(choices.join(' '))}` : ''
  return `complete -c ${program}${condition ? ` -n ${quote(condition)}` : ''} ${what}${values} -d ${quote(summary)}`
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
