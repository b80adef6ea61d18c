import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import helper from '../../../helpers/api-key.ts'
import type { AnyHelper } from '../../../src/helper/define-helper.ts'
import { runHelper } from '../../../src/helper/run/run-helper.ts'
import { exitStatus, type FailureKind } from '../../../src/runtime/failure.ts'
import { fails, prints } from '../../setup/run-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { type TestHostParts, testHost, testNow } from '../../setup/test-host.ts'

export const program = 'api-key'

/** A key that one search finds wherever it leaks. */
export const canary = 'sk-vendor-api01-canary0123456789abcdef'

export const inDays = (days: number) => new Date(testNow + days * 86_400_000).toISOString()

/** Returns the outcome of a failed run. */
export const failure = (kind: FailureKind, message: string, hint: string) =>
  fails(program, exitStatus[kind], message, hint)

/** Returns the outcome of a run that prints a document, and nothing on stderr. */
export const printed = (document: unknown) => prints(`${JSON.stringify(document)}\n`)

/** Returns the outcome of a command that succeeds. */
export const told = (...lines: string[]) => prints('', lines.map((line) => `${program}: ${line}\n`).join(''))

interface Parts extends TestHostParts {
  /** The text that is piped into it. */
  readonly piped?: string
}

/** Prepares a home with a file for the key, and the helper in it. Its clock stands still. */
export async function startDesk() {
  const home = await temporaryDirectory()
  const path = join(home, 'keys', 'key')
  const run = async (argv: readonly string[], { piped = '', streams, ...parts }: Parts = {}) => {
    const input = () => Readable.from([Buffer.from(piped)])
    const host = await testHost({ home, argv, ...parts, streams: { input, ...streams } })
    const { status } = await runHelper(program, helper as unknown as AnyHelper, host)
    return { status, ...host.written }
  }
  const put = async (text: string, mode = 0o600) => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeFile(path, text, { mode })
    return ['--key-file', path]
  }
  return { home, path, run, put, named: ['--key-file', path] }
}
