import { execa } from 'execa'

/** The whole outcome of a program, as its caller sees it. */
export interface Outcome {
  readonly status: number | string
  readonly stdout: string
  readonly stderr: string
}

/** Returns the outcome of a run that succeeds. */
export const prints = (stdout: string, stderr = ''): Outcome => ({ status: 0, stdout, stderr })

/** Returns the outcome of a run that fails: nothing on stdout, one message and one hint. */
export const fails = (program: string, status: number, message: string, hint: string): Outcome => ({
  status,
  stdout: '',
  stderr: `${program}: ${message}\n${program}: hint: ${hint}\n`,
})

export interface RunOptions {
  readonly argv?: readonly string[]
  /** The whole environment; nothing is inherited. */
  readonly env?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
  /** Is given what it has written to stderr, piece by piece. */
  readonly hear?: (text: string) => void
}

export interface ExecutableOptions extends RunOptions {
  readonly cwd?: string
  /** The name that its caller gives it. */
  readonly argv0?: string
}

/** Runs a program as a client does, without a terminal, with exactly the environment given. */
export async function runExecutable(
  path: string,
  { argv = [], env = {}, timeoutMs = 20_000, cwd = '/', argv0, hear }: ExecutableOptions = {},
): Promise<Outcome> {
  const child = execa(path, argv, {
    env,
    extendEnv: false,
    stdin: 'ignore',
    reject: false,
    stripFinalNewline: false,
    timeout: timeoutMs,
    cwd,
    ...(argv0 !== undefined && { argv0 }),
  })
  if (hear) child.stderr.on('data', (chunk) => hear(String(chunk)))
  const { exitCode, signal, stdout, stderr } = await child
  return { status: exitCode ?? signal ?? 'not started', stdout, stderr }
}
