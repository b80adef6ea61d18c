import { HelperError, renderWarning } from '../../../runtime/failure.ts'
import { redact } from '../../../runtime/hiding/redact.ts'
import type { Cli } from '../../cli.ts'
import { programName } from '../../program-name.ts'
import { decodeInput } from './decode-input.ts'
import type { FoundToken } from './found-token.ts'
import { longestInput, readInput } from './read-input.ts'
import { requireToken } from './require-token.ts'
import { rejectArgument, runHelper } from './run-helper.ts'

/** Where a token is read from, as the command line says it. */
export interface VerifySource {
  /** A helper and its arguments. */
  readonly words: readonly string[]
  readonly file: string | undefined
  /** Whether the command line has a `--`, behind which a helper stands. */
  readonly isSeparated: boolean
}

/**
 * Reads a token from standard input, from a file or from a helper.
 * @throws {HelperError} `usage` where there is none, `unavailable` for a helper that gives none.
 */
export async function readFound({ host, terminal }: Cli, source: VerifySource): Promise<FoundToken> {
  const { words, file, isSeparated } = source
  if (words.length === 0) return parseInput(await readInput(host, file))
  if (!isSeparated) throw rejectArgument()
  if (file !== undefined)
    throw new HelperError('usage', 'a file and a helper are named', 'leave --file out, or the helper behind --')
  const { stdout, stderr } = await runHelper(host, words)
  if (stderr !== '')
    terminal.tell(renderWarning(programName, `the helper says: ${redact(stderr, listSecrets(stdout))}`))
  return parseInput(stdout)
}

function parseInput(bytes: Uint8Array): FoundToken {
  const { text, notes } = decodeInput(bytes)
  const found = requireToken(text)
  return { ...found, notes: [...notes, ...found.notes] }
}

/** Long words of an output, each of which may be the token. */
function listSecrets(stdout: Uint8Array): string[] {
  return new TextDecoder().decode(stdout.subarray(0, longestInput)).match(/[^\s"',:{}[\]]{12,}/g) ?? []
}
