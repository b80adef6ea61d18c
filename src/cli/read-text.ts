import { HelperError, toOneLine } from '../runtime/failure.ts'
import { describeReadFailure, readNamedFile } from '../runtime/named-file.ts'
import type { Terminal } from './terminal.ts'

/**
 * Reads the text of a file that a person names, or of standard input (`-`).
 * @throws {HelperError} as {@link readNamedText}.
 */
export async function readText(terminal: Pick<Terminal, 'readInput'>, source: string): Promise<string> {
  if (source === '-') return Buffer.concat(await Array.fromAsync(terminal.readInput())).toString('utf8')
  return readNamedText(source, { hint: 'name a file, or - for standard input' })
}

/**
 * Reads the text of a file that a person names.
 * @throws {HelperError} `usage` with this hint for a file that cannot be read.
 */
export async function readNamedText(path: string, { hint, missing, longestBytes }: NamedText): Promise<string> {
  try {
    return (await readNamedFile(path, longestBytes === undefined ? {} : { longestBytes })).toString('utf8')
  } catch (cause) {
    const failure = cause as NodeJS.ErrnoException // a system error
    const isMissing = failure.code === 'ENOENT' && missing !== undefined
    const message = isMissing ? missing : `${path} ${describeReadFailure(failure)}`
    throw new HelperError('usage', toOneLine(message), hint, { cause })
  }
}

interface NamedText {
  readonly hint: string
  /** The message for a file that does not exist; by default it names the error of the system. */
  readonly missing?: string
  readonly longestBytes?: number
}
