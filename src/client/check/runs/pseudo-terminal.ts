import { statSync, truncateSync } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { limits } from '../../../contract/limits.ts'
import { attemptUnlessMissing } from '../../../runtime/disk.ts'
import { quoteForShell } from '../../../runtime/text/quote.ts'
import type { LaunchCommand } from '../../launch/launch-command.ts'

/** Returns whether this system has a program that gives another program a terminal. */
export async function hasTerminalProgram(platform: NodeJS.Platform): Promise<boolean> {
  if (platform !== 'linux' && platform !== 'darwin') return false
  return stat(program).then(
    () => true,
    () => false, // not installed: the rule is not applicable
  )
}

const program = '/usr/bin/script'

/** Files that receive a program's stdout and stderr while it has a terminal. */
export interface TerminalOutput {
  readonly stdout: string
  readonly stderr: string
}

/**
 * Wraps a program so that it has a controlling terminal, which is also its stdin. Its output to the terminal arrives on stdout; its own
 * stdout and stderr are files. It must run with `SHELL=/bin/sh`.
 */
export function wrapInTerminal(
  { file, args }: LaunchCommand,
  { stdout, stderr }: TerminalOutput,
  platform: NodeJS.Platform,
): LaunchCommand {
  const line = `exec ${quoteForShell([file, ...args])} >${quoteForShell([stdout])} 2>>${quoteForShell([stderr])}`
  return platform === 'darwin'
    ? { file: program, args: ['-q', '/dev/null', '/bin/sh', '-c', line] }
    : { file: program, args: ['-q', '-e', '-c', line, '/dev/null'] }
}

/** Parses the output to the terminal, without the echo of the end of input. */
export function parseTranscript(transcript: Uint8Array): string {
  return Buffer.from(transcript)
    .toString('utf8')
    .replace(/\^D\x08\x08|[\x04\r]/g, '')
    .trim()
}

/**
 * Names the files of one run.
 * @param mark Unique for every run.
 */
export function nameTerminalFiles(directory: string, mark: string): TerminalOutput {
  const name = mark.replace(/[^0-9a-f]/g, '')
  return { stdout: join(directory, `${name}-stdout`), stderr: join(directory, `${name}-stderr`) }
}

/** Reads what a program wrote to its own stdout and stderr while it had a terminal. */
export async function readTerminalFiles({
  stdout,
  stderr,
}: TerminalOutput): Promise<{ stdout: Uint8Array; stderr: string }> {
  const tail = Math.max(0, readSize(stderr) - limits.stderrTailBytes)
  const start = await readPart(stdout, 0, limits.stdoutBytes + 1)
  return { stdout: start, stderr: (await readPart(stderr, tail, limits.stderrTailBytes)).toString('utf8') }
}

/**
 * Limits the files while a program writes to them: calls `onFlood` once stdout is longer than a client reads, and empties stderr, of which
 * a client keeps only the end. A limit of the system would also apply to the program's other files.
 */
export function startTerminalBound(
  { stdout, stderr }: TerminalOutput,
  onFlood: () => void,
): Disposable & { readonly isFlooded: () => boolean } {
  let isFlooded = false
  const timer = setInterval(() => {
    if (readSize(stderr) > longestStderrBytes) truncateSync(stderr)
    if (readSize(stdout) <= limits.stdoutBytes) return
    isFlooded = true
    onFlood()
  }, pollMs)
  return { isFlooded: () => isFlooded, [Symbol.dispose]: () => clearInterval(timer) }
}

/** The pause between two looks at the files, in which a fast disk writes some tens of megabytes. */
const pollMs = 20

const longestStderrBytes = 16 * limits.stderrTailBytes

/** Reads the size of a file; 0 if the program has not created it yet. */
function readSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

/** Reads a part of a file; nothing if the program has not created it yet. */
async function readPart(path: string, position: number, length: number): Promise<Buffer> {
  await using file = await attemptUnlessMissing(open(path))
  if (!file) return Buffer.alloc(0)
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(length), position })
  return buffer.subarray(0, bytesRead)
}
