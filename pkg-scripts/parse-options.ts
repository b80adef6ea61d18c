import { type ParseArgsOptionDescriptor, parseArgs } from 'node:util'
import { HelperError } from '../src/runtime/failure.ts'

/**
 * Parses the options of a script, in the form of Node's `parseArgs`. With `--help` the script prints its help and ends.
 * @throws HelperError for an unknown argument.
 */
export function parseOptions<const Options extends Readonly<Record<string, ScriptOption>>>(script: Script<Options>) {
  if (process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h')) {
    process.stdout.write(renderHelp(script))
    process.exit(0)
  }
  try {
    return parseArgs({ options: script.options, allowPositionals: script.operands !== undefined })
  } catch (cause) {
    const { code = '', message } = cause as NodeJS.ErrnoException
    if (!code.startsWith('ERR_PARSE_ARGS')) throw cause
    throw new HelperError('usage', toProblem(message), `see what it takes with: ${script.command} --help`, { cause })
  }
}

/** An option of a script, with its text for the help. */
interface ScriptOption extends ParseArgsOptionDescriptor {
  /** The word for the value in the help, if the option takes one. */
  readonly value?: string
  readonly summary: string
}

/** A script's purpose, options and other arguments. */
interface Script<Options> {
  /** The command to run from the project's folder, such as `npm run build --`. */
  readonly command: string
  /** One sentence that begins with a verb. */
  readonly summary: string
  readonly options: Options
  /** Arguments that are not options, such as `[NAME…]`; if absent, the script accepts none. */
  readonly operands?: string
}

function renderHelp({ command, summary, options, operands }: Script<Readonly<Record<string, ScriptOption>>>): string {
  const rows = Object.entries(options).map(([name, { value, multiple, summary }]) => {
    const flag = value === undefined ? `--${name}` : `--${name} ${value}`
    return [`  ${flag}`, `${summary}${multiple ? '; it may be given several times' : ''}`] as const
  })
  const all = [...rows, ['  --help', 'prints this'] as const]
  const width = Math.max(...all.map(([flag]) => flag.length)) + 2
  const usage = [
    command,
    ...(rows.length > 0 ? ['[OPTIONS]'] : []),
    ...(operands === undefined ? [] : [operands]),
  ].join(' ')
  const sentence = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`
  return `${sentence}\n\nUsage: ${usage}\n\n${all.map(([flag, says]) => `${flag.padEnd(width)}${says}\n`).join('')}`
}

/** Returns the first sentence; the rest is about arguments that begin with a hyphen. */
function toProblem(message: string): string {
  const [first = message] = message.split(/\.\s/)
  return first.replace(/\.$/, '').replace(/^[A-Z]/, (letter) => letter.toLowerCase())
}
