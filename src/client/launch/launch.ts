import { performance } from 'node:perf_hooks'
import { execa } from 'execa'
import { limits } from '../../contract/limits.ts'
import type { Environment } from '../../runtime/environment.ts'
import { hasProcessGroups } from '../../runtime/host.ts'
import type { LaunchCommand } from './launch-command.ts'
import { type Survivors, stopProcess, waitAtMost } from './stop-process.ts'

/** How a process ended that was started as the client starts helpers. */
export interface Launched {
  readonly ended: LaunchEnd
  /** Empty after a timeout; one byte more than a client reads if the process was ended because it printed more. */
  readonly stdout: Uint8Array
  /** The last 64 KiB. */
  readonly stderr: string
  /** In real time, even if the client's clock is simulated. */
  readonly durationMs: number
  readonly survivors: Survivors
}

/** How a process ended, or why it did not start. */
export type LaunchEnd =
  | { readonly how: 'exited'; readonly status: number }
  | { readonly how: 'signal'; readonly signal: string }
  /** `exited`: only a process that it left kept its output open until the timeout. */
  | { readonly how: 'timeout'; readonly process: 'killed' | 'exited' }
  | { readonly how: 'flooded' }
  | { readonly how: 'not-started'; readonly code: string }

/** What a check of a helper needs beyond what a client does. */
export interface LaunchOptions {
  /**
   * `ended` (the default, as clients do): stdin is at its end. `silent`: stdin is open and nothing is ever written to it. A
   * text is written, and is the whole of it.
   */
  readonly stdin?: 'ended' | 'silent' | { readonly text: string }
  /** Called with the process id once the process has started. */
  readonly onStart?: (pid: number) => void
  /** Ends the run before its timeout, in the same way. */
  readonly signal?: AbortSignal
}

/**
 * Starts a program without stdin and terminal and waits until it has ended and its output is closed, for at most
 * `timeoutMs` of real time. Then it kills this process only, as the client does; it reports and ends what the process left.
 */
export async function launch(
  command: LaunchCommand,
  env: Environment,
  timeoutMs: number,
  { stdin = 'ended', onStart, signal }: LaunchOptions = {},
): Promise<Launched> {
  const startedAt = performance.now()
  const subprocess = start(command, env, stdin)
  const tail = keepTail(subprocess.stderr)
  if (subprocess.pid !== undefined) onStart?.(subprocess.pid)
  const result = await waitAtMost(subprocess, timeoutMs, signal)
  const kill = () => (hasProcessGroups() ? subprocess.nodeChildProcess : subprocess).kill('SIGKILL')
  const stopped = result ? undefined : await stopProcess(subprocess.nodeChildProcess, kill, subprocess)
  return {
    ended: result ? toLaunchEnd(result) : { how: 'timeout', process: stopped?.process ?? 'killed' },
    stdout: result?.stdout ?? new Uint8Array(),
    stderr: tail(),
    durationMs: Math.round(performance.now() - startedAt),
    survivors: stopped?.survivors ?? 'none',
  }
}

function start(
  { file, args, isVerbatim = false }: LaunchCommand,
  env: Environment,
  stdin: NonNullable<LaunchOptions['stdin']>,
) {
  return execa(file, args, {
    env,
    extendEnv: false,
    cwd: '/',
    ...(typeof stdin === 'object' ? { input: stdin.text } : { stdin: stdin === 'silent' ? 'pipe' : 'ignore' }),
    encoding: 'buffer',
    stripFinalNewline: false,
    buffer: { stderr: false },
    maxBuffer: { stdout: limits.stdoutBytes + 1 },
    reject: false,
    killDescendants: true, // starts a process group, through which descendants are found
    killSignal: 'SIGKILL',
    windowsHide: true,
    windowsVerbatimArguments: isVerbatim,
  })
}

interface EndedProcess {
  readonly isMaxBuffer: boolean
  readonly exitCode?: number | undefined
  readonly signal?: string | undefined
  readonly code?: string | undefined
}

function toLaunchEnd({ isMaxBuffer, exitCode, signal, code = 'unknown' }: EndedProcess): LaunchEnd {
  if (isMaxBuffer) return { how: 'flooded' }
  if (exitCode !== undefined) return { how: 'exited', status: exitCode }
  if (signal !== undefined) return { how: 'signal', signal }
  return { how: 'not-started', code }
}

function keepTail(stream: NodeJS.ReadableStream): () => string {
  let kept = Buffer.alloc(0)
  stream.on('data', (chunk: Buffer) => {
    kept = Buffer.concat([kept, chunk]).subarray(-limits.stderrTailBytes)
  })
  return () => kept.toString('utf8')
}
