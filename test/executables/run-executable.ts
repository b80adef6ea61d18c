import { execa } from 'execa'
import type { Outcome, RunOptions } from '../setup/run-bundle.ts'

export interface ExecutableOptions extends RunOptions {
  readonly cwd?: string
  /** The name that its caller gives it. */
  readonly argv0?: string
}

/** Runs a standalone executable as a client does, with exactly the environment given. */
export async function runExecutable(
  path: string,
  { argv = [], env = {}, timeoutMs = 20_000, cwd = '/', argv0 }: ExecutableOptions = {},
): Promise<Outcome> {
  const { exitCode, signal, stdout, stderr } = await execa(path, argv, {
    env,
    extendEnv: false,
    stdin: 'ignore',
    reject: false,
    stripFinalNewline: false,
    timeout: timeoutMs,
    cwd,
    ...(argv0 !== undefined && { argv0 }),
  })
  return { status: exitCode ?? signal ?? 'not started', stdout, stderr }
}
