import { execa } from 'execa'
import { bundlePath } from '../../pkg-scripts/helpers.ts'

/** The whole outcome of a program, as its caller sees it. */
export interface Outcome {
  readonly status: number | string
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly argv?: readonly string[]
  /** The whole environment; nothing is inherited. */
  readonly env?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
}

/** Runs a helper's built bundle as a real process, without a terminal, with exactly the environment given. */
export async function runBundle(
  name: string,
  { argv = [], env = {}, timeoutMs = 20_000 }: RunOptions = {},
): Promise<Outcome> {
  const result = await execa(process.execPath, [bundlePath(name), ...argv], {
    env,
    extendEnv: false,
    stdin: 'ignore',
    reject: false,
    stripFinalNewline: false,
    timeout: timeoutMs,
    cwd: '/',
  })
  return { status: result.exitCode ?? result.signal ?? 'not started', stdout: result.stdout, stderr: result.stderr }
}
