import { open, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { LaunchCommand } from '../../launch/launch-command.ts'

const program = '/usr/bin/script'

/** Whether this system has a program that gives another one a terminal of its own. */
export async function hasTerminalProgram(platform: NodeJS.Platform): Promise<boolean> {
  if (platform !== 'linux' && platform !== 'darwin') return false
  return stat(program).then(
    () => true,
    () => false, // not installed; the rule is not applicable then
  )
}

/** Files that receive a program's stdout and stderr while it has a terminal. */
export interface TerminalOutput {
  readonly stdout: string
  readonly stderr: string
}

/**
 * The same program with a controlling terminal, which is also its stdin. What is written to the terminal itself arrives on
 * stdout; the program's own stdout and stderr go to files. It must run with `SHELL=/bin/sh`.
 */
export function wrapInTerminal(
  { file, args }: LaunchCommand,
  { stdout, stderr }: TerminalOutput,
  platform: NodeJS.Platform,
): LaunchCommand {
  const line = `exec ${[file, ...args].map(quote).join(' ')} >${quote(stdout)} 2>${quote(stderr)}`
  return platform === 'darwin'
    ? { file: program, args: ['-q', '/dev/null', '/bin/sh', '-c', line] }
    : { file: program, args: ['-q', '-e', '-c', line, '/dev/null'] }
}

/** What was written to the terminal, without the echo of the end of input. */
export function readTerminal(transcript: Uint8Array): string {
  return Buffer.from(transcript)
    .toString('utf8')
    .replace(/\^D\x08\x08|[\x04\r]/g, '')
    .trim()
}

/** The files of one run; `mark` is its own among all runs. */
export function nameTerminalFiles(directory: string, mark: string): TerminalOutput {
  const name = mark.replace(/[^0-9a-f]/g, '')
  return { stdout: join(directory, `${name}-stdout`), stderr: join(directory, `${name}-stderr`) }
}

/** What a program wrote to its own stdout and stderr while it had a terminal. */
export async function readTerminalFiles({
  stdout,
  stderr,
}: TerminalOutput): Promise<{ stdout: Uint8Array; stderr: string }> {
  await using file = await open(stdout, 'a+') // creates it where the program could not be started
  return { stdout: await file.readFile(), stderr: await readFile(stderr, 'utf8').catch(() => '') }
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
