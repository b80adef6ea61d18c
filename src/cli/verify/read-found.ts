import { launch } from '../../client/launch/launch.ts'
import { planLaunch } from '../../client/launch/launch-command.ts'
import { describeEnd, listLongWords } from '../../client/launch/run-credential-helper.ts'
import { toContextVariables } from '../../contract/detect-context.ts'
import { clientDefaults, limits } from '../../contract/limits.ts'
import { HelperError, renderWarning } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { isCredentialText } from '../../runtime/text/credential-text.ts'
import { quoteForHint } from '../../runtime/text/quote.ts'
import { redact } from '../../runtime/text/redact.ts'
import { detectTokenKind } from '../../runtime/tokens/token-kind.ts'
import { programName } from '../../version.ts'
import { locateCommand } from '../check-helper.ts'
import type { Cli } from '../cli.ts'
import { decodeInput, type FoundToken } from './pasted-token.ts'
import { longestInput, readInput } from './read-input.ts'
import { requireToken } from './require-token.ts'

/** The source of a token on the command line. */
export interface VerifySource {
  /** A helper and its arguments. */
  readonly words: readonly string[]
  readonly file: string | undefined
  /** Whether the command line has a `--`, after which the helper is named. */
  readonly isSeparated: boolean
}

/**
 * Reads a token from standard input, from a file or from a helper.
 * @throws {HelperError} `usage` for an input without a token, `unavailable` for a helper that prints none.
 */
export async function readFound({ host, terminal }: Cli, source: VerifySource): Promise<FoundToken> {
  const { words, file, isSeparated } = source
  const isStandardInput = !isSeparated && words[0] === '-'
  if (isStandardInput && words.length > 1)
    throw new HelperError('usage', 'nothing may follow -, which names standard input', 'write options before -')
  if (isStandardInput && file !== undefined && file !== '-')
    throw new HelperError('usage', 'both - (standard input) and --file are given', 'give only one of them')
  if (isStandardInput || words.length === 0) return parseInput(await readInput(host, file))
  if (!isSeparated) throw rejectArgument()
  if (file !== undefined)
    throw new HelperError('usage', 'both --file and a helper after -- are given', 'give only one of them')
  const { stdout, stderr } = await runHelper(host, words)
  if (stderr !== '')
    terminal.tell(renderWarning(programName, `the helper says: ${redact(stderr, listLongWords(stdout, longestInput))}`))
  return parseInput(stdout)
}

function parseInput(bytes: Uint8Array): FoundToken {
  const { text, notes } = decodeInput(bytes)
  const found = requireToken(text)
  return { ...found, notes: [...notes, ...found.notes] }
}

interface CapturedOutput {
  readonly stdout: Uint8Array
  readonly stderr: string
}

/**
 * Runs a helper as in the client's connection test.
 * @returns Its output.
 * @throws {HelperError} `usage` for a program that cannot be started, `unavailable` for a run without output.
 */
async function runHelper(host: Host, [program = '', ...args]: readonly string[]): Promise<CapturedOutput> {
  if (isCredentialText(program) || detectTokenKind(program) !== 'opaque') throw rejectArgument()
  const command = await locateCommand(program, host)
  if (command === program && !/[\\/]/.test(program))
    throw new HelperError('usage', 'the program behind -- is not on PATH', 'write its path')
  const resolved = planLaunch({ command, args }, host.platform)
  if ('problem' in resolved)
    throw new HelperError(
      'usage',
      `a client does not start this helper: ${resolved.problem}`,
      'write the command as a document of this system would name it',
    )
  const env = { ...host.env, ...toContextVariables('setup-test') }
  const launched = await launch(resolved.command, env, clientDefaults.timeoutSec * 1000)
  const end = describeEnd(launched, clientDefaults.timeoutSec)
  const { stdout } = launched
  const stderr = launched.stderr.trim()
  if (!end && stdout.length <= limits.stdoutBytes) return { stdout, stderr }
  const said = redact(stderr, [])
  const words = end?.message ?? 'the helper printed more than a client reads'
  const kind = end?.reason === 'not-started' ? 'usage' : 'unavailable'
  throw new HelperError(kind, said === '' ? words : `${words}; on stderr: ${said}`, chooseHint(program, end?.reason))
}

function chooseHint(program: string, reason: string | undefined): string {
  if (reason === 'not-started') return 'check that the file exists, is executable and names an interpreter that exists'
  return `follow its message, or see what a client makes of it, with the same arguments: ${programName} check-helper ${quoteForHint(program)}`
}

/** A word of the command line may be a token, so none is repeated. */
function rejectArgument(): HelperError {
  return new HelperError(
    'usage',
    'a token must not be an argument: other users of this machine see command lines, and shells keep them',
    'pipe it in, name a file with --file, or run a helper behind --; replace the token if others may have seen it',
  )
}
