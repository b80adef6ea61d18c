import { execa } from 'execa'
import { onTestFinished } from 'vitest'
import type { Outcome } from './run-program.ts'

/** One run of a program, as a process that can be watched and ended. */
export interface PreparedRun {
  readonly pid: number
  readonly outcome: Promise<Outcome>
  /** Lets the program start, and gives its outcome. */
  begin(): Promise<Outcome>
  kill(signal: NodeJS.Signals): void
}

/**
 * Starts a shell that becomes a program when its input ends, so that many can begin at once. It is ended with the test.
 * @param as A user and group without rights of their own.
 */
export function prepareRun(
  program: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  as?: number,
): PreparedRun {
  const command = [process.execPath, program, ...argv]
  const child = execa('/bin/sh', ['-c', 'read -r _; exec "$0" "$@" </dev/null', ...command], {
    env,
    extendEnv: false,
    stdin: 'pipe',
    reject: false,
    stripFinalNewline: false,
    cwd: '/',
    ...(as !== undefined && { uid: as, gid: as }),
  })
  const kill = (signal: NodeJS.Signals) => void child.kill(signal)
  onTestFinished(() => kill('SIGKILL'))
  const outcome = child.then(({ exitCode, signal, stdout, stderr }) => ({
    status: exitCode ?? signal ?? 'not started',
    stdout,
    stderr,
  }))
  const begin = () => {
    child.stdin.end()
    return outcome
  }
  return { pid: child.pid ?? 0, outcome, begin, kill }
}
