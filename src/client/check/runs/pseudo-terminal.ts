import { stat } from 'node:fs/promises'
import type { LaunchCommand } from '../../launch/launch-command.ts'

const program = '/usr/bin/script'

/** Whether this system has a program that gives another one a terminal of its own. */
export async function hasTerminalProgram(platform: NodeJS.Platform): Promise<boolean> {
  if (platform !== 'linux' && platform !== 'darwin') return false
  return stat(program).then(
    () => true,
    () => false, // not installed; the rule says that it cannot be judged
  )
}

/** Where a program's own stdout and stderr go while it has a terminal. */
export interface TerminalOutput {
  readonly stdout: string
  readonly stderr: string
}

/**
 * The same program with a terminal as its controlling one and as its stdin. What is written to the terminal itself
 * arrives on stdout; the program's own stdout and stderr are in files. It must run with `SHELL=/bin/sh`.
 */
export function onTerminal(
  { file, args }: LaunchCommand,
  { stdout, stderr }: TerminalOutput,
  platform: NodeJS.Platform,
): LaunchCommand {
  const line = `exec ${[file, ...args].map(quote).join(' ')} >${quote(stdout)} 2>${quote(stderr)}`
  return platform === 'darwin'
    ? { file: program, args: ['-q', '/dev/null', '/bin/sh', '-c', line] }
    : { file: program, args: ['-q', '-e', '-c', line, '/dev/null'] }
}

/** What was written to the terminal, without the echo of the end of its input. */
export function readTerminal(transcript: Uint8Array): string {
  return Buffer.from(transcript)
    .toString('utf8')
    .replace(/\^D\x08\x08|[\x04\r]/g, '')
    .trim()
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
