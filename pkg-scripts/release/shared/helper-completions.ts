import type { AnyHelper } from '../../../src/helper/define-helper.ts'
import { commonOptions } from '../../../src/helper/options/every-helper-options.ts'
import type { OptionRow } from '../../../src/helper/options/option-table.ts'
import { createCommands } from '../../../src/helper/run/commands.ts'
import { quoteForShell } from '../../../src/runtime/text/quote.ts'
import type { SharedFile } from '../part/shared-file.ts'

/** Returns a script for each shell that completes a helper's commands, options and values. */
export function createHelperCompletions(name: string, helper: AnyHelper): SharedFile[] {
  const commands = Object.entries(createCommands(helper))
  const own = commands.map(([, command]) => command.options ?? {})
  const rows = Object.entries<OptionRow>(Object.assign({}, commonOptions, helper.options, ...own))
  const options = rows.filter(([, { only }]) => only !== "machine's file").map(toOption)
  const from = { name, options, commands: commands.map(([word, { summary }]) => ({ word, summary })) }
  return [
    { kind: 'bash', name, content: renderBash(from) },
    { kind: 'zsh', name: `_${name}`, content: renderZsh(from) },
    { kind: 'fish', name: `${name}.fish`, content: renderFish(from) },
  ]
}

interface Completed {
  readonly name: string
  readonly options: readonly CompletedOption[]
  readonly commands: readonly { readonly word: string; readonly summary: string }[]
}

interface CompletedOption {
  readonly word: string
  readonly summary: string
  /** The value after the option: none, a file, free text that only the person knows, or one of these words. */
  readonly value: 'none' | 'file' | 'free' | readonly string[]
}

function toOption([word, { value, summary }]: [string, OptionRow]): CompletedOption {
  const values = { flag: 'none', path: 'file', boolean: ['true', 'false'] } as const
  if (typeof value !== 'string') return { word, summary, value }
  return { word, summary, value: value in values ? values[value as keyof typeof values] : 'free' }
}

/** Renders the script for bash. It offers nothing after an option whose value only the person knows. */
function renderBash({ name, options, commands }: Completed): string {
  const valued = options.filter(({ value }) => value !== 'none')
  const cases = valued.map(({ word, value }) => `    --${word}) ${renderBashValue(value)}; return ;;\n`)
  const words = [...commands.map(({ word }) => word), ...options.map(({ word }) => `--${word}`)].join(' ')
  const called = `_${name.replaceAll('-', '_')}`
  return `${called}() {
  local current=\${COMP_WORDS[COMP_CWORD]} IFS=$' \\t\\n'
  COMPREPLY=()
  case \${COMP_WORDS[COMP_CWORD-1]} in
${cases.join('')}  esac
  COMPREPLY=($(compgen -W '${words}' -- "$current"))
}
complete -F ${called} ${name}
`
}

function renderBashValue(value: CompletedOption['value']): string {
  if (value === 'file') return `IFS=$'\\n'; COMPREPLY=($(compgen -f -- "$current"))`
  if (value === 'free' || value === 'none') return ':'
  return `COMPREPLY=($(compgen -W '${value.join(' ')}' -- "$current"))`
}

function renderZsh({ name, options, commands }: Completed): string {
  const lines = options.map(({ word, summary, value }) => {
    const text = summary.replace(/[[\]:\\]/g, '\\$&')
    return quoteForShell([`--${word}[${text}]${renderZshValue(value)}`])
  })
  const first =
    commands.length === 0 ? [] : [quoteForShell([`1:command:(${commands.map(({ word }) => word).join(' ')})`])]
  return `#compdef ${name}\n_arguments \\\n${[...lines, ...first].map((line) => `  ${line}`).join(' \\\n')}\n`
}

function renderZshValue(value: CompletedOption['value']): string {
  if (value === 'none') return ''
  if (value === 'file') return ':file:_files'
  return value === 'free' ? ':value: ' : `:value:(${value.join(' ')})`
}

function renderFish({ name, options, commands }: Completed): string {
  const lines = options.map(
    ({ word, summary, value }) => `complete -c ${name} -l ${word}${renderFishValue(value)} -d ${quoteFish(summary)}\n`,
  )
  const first = commands.map(
    ({ word, summary }) => `complete -c ${name} -n __fish_use_subcommand -a ${word} -d ${quoteFish(summary)}\n`,
  )
  return [`complete -c ${name} -f\n`, ...first, ...lines].join('')
}

function renderFishValue(value: CompletedOption['value']): string {
  if (value === 'none') return ''
  if (value === 'file') return ' -r -F'
  return value === 'free' ? ' -x' : ` -x -a '${value.join(' ')}'`
}

function quoteFish(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}
