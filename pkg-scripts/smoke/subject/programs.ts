import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

/** The whole outcome of a program, as its caller sees it. */
export interface ProgramEnd {
  readonly status: number | string
  readonly stdout: string
  readonly stderr: string
  readonly ms: number
}

export interface ProgramRunOptions {
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>
  /** The text on its stdin; empty if absent. */
  readonly stdin?: string
  /** On Windows: arguments are one line as they are, because `cmd` has quotes of its own. */
  readonly isVerbatim?: boolean
}

export interface RunningProgram {
  readonly outcome: Promise<ProgramEnd>
  kill(): void
  /** Resolves with the printed text as soon as it matches. */
  printed(pattern: RegExp): Promise<string>
}

/** The limit of a run, in milliseconds: far more than any run takes, even on an emulated processor. */
export const longestRunMs = 240_000

/** Starts a program without a terminal, in the directory of its user. A program that cannot be started rejects its outcome. */
export function startProgram(
  program: string,
  args: readonly string[],
  { env, stdin, isVerbatim = false }: ProgramRunOptions,
): RunningProgram {
  const startedAt = performance.now()
  const child = spawn(program, args, {
    env,
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    timeout: longestRunMs,
    killSignal: 'SIGKILL',
    windowsVerbatimArguments: isVerbatim,
    windowsHide: true,
  })
  child.stdin?.on('error', () => {}) // a program that ends without reading closes its stdin; its outcome tells why
  child.stdin?.end(stdin)
  const end = async (): Promise<ProgramEnd> => {
    const [[code, signal], stdout, stderr] = await Promise.all([
      once(child, 'close'),
      text(child.stdout!),
      text(child.stderr!),
    ])
    return { status: code ?? signal ?? 'not started', stdout, stderr, ms: performance.now() - startedAt }
  }
  return {
    outcome: end(),
    kill: () => child.kill('SIGKILL'),
    printed: async (pattern) => {
      let seen = ''
      const isThere = Promise.withResolvers<string>()
      child.stdout!.on('data', (chunk: Buffer) => {
        seen += chunk
        if (pattern.test(seen)) isThere.resolve(seen)
      })
      child.once('close', () => isThere.reject(new Error(`${program} ended before it was ready: ${seen}`)))
      return isThere.promise
    },
  }
}

export function runProgram(program: string, args: readonly string[], options: ProgramRunOptions): Promise<ProgramEnd> {
  return startProgram(program, args, options).outcome
}
