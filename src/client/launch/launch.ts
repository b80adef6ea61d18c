// Folder: starting a helper as the client does, and parsing its output in each format.

import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { performance } from 'node:perf_hooks'
import { execa } from 'execa'
import { limits } from '../../contract/limits.ts'
import { endProcessGroup, hasProcessGroups, isProcessGroupAlive } from '../../runtime/host.ts'
import type { Environment } from '../../runtime/run-process.ts'
import { waitAtMost } from '../../runtime/wait-at-most.ts'
import type { LaunchCommand } from './launch-command.ts'

/** The end and the output of a process that was started as the client starts helpers. */
export interface Launched {
  readonly ended: LaunchEnd
  /** Empty after a timeout. If the process was ended because of too much output, one byte more than a client reads. */
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
  /** `exited`: only a process that it left behind kept its output open, until the timeout or for {@link LaunchOptions.heldMs}. */
  | { readonly how: 'timeout'; readonly process: 'killed' | 'exited' }
  | { readonly how: 'flooded' }
  | { readonly how: 'not-started'; readonly code: string }

/** Options for checks of helpers, which a client does not need. */
export interface LaunchOptions {
  /**
   * `ended` (the default, as in clients): stdin is at its end. `silent`: stdin stays open and empty. A text is written before stdin ends.
   */
  readonly stdin?: 'ended' | 'silent' | { readonly text: string } | undefined
  /** Called with the process id after the start. */
  readonly onStart?: (pid: number) => void
  /** Ends the run before its timeout, in the same way. */
  readonly signal?: AbortSignal | undefined
  /** How long the output may stay open after the process has ended; until the timeout by default. */
  readonly heldMs?: number
}

/**
 * Starts a program without stdin and terminal, and waits until it has ended and its output is closed, for at most `timeoutMs` of real time.
 * Then it kills only this process, as the client does, and it reports and ends the processes that were left.
 */
export async function launch(
  command: LaunchCommand,
  env: Environment,
  timeoutMs: number,
  { stdin = 'ended', onStart, signal, heldMs = timeoutMs }: LaunchOptions = {},
): Promise<Launched> {
  const startedAt = performance.now()
  const subprocess = start(command, env, stdin)
  const tail = collectTail(subprocess.stderr)
  if (subprocess.pid !== undefined) onStart?.(subprocess.pid)
  const held = new AbortController()
  subprocess.nodeChildProcess.once('exit', () => setTimeout(() => held.abort(), heldMs).unref())
  const result = await waitAtMost(subprocess, timeoutMs, signal ? AbortSignal.any([signal, held.signal]) : held.signal)
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
    killDescendants: true, // starts a process group, to find descendants
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

function collectTail(stream: NodeJS.ReadableStream): () => string {
  let kept = Buffer.alloc(0)
  stream.on('data', (chunk: Buffer) => {
    kept = Buffer.concat([kept, chunk]).subarray(-limits.stderrTailBytes)
  })
  return () => kept.toString('utf8')
}

/** The descendants that still ran after a timeout: they were ended, or could not be found and only kept the pipes open. */
export type Survivors = 'none' | 'ended' | 'out-of-reach'

/** How long pipes may stay open after every known process was killed. */
const closingMs = 200

/**
 * Ends a process with `kill` after its timeout, then every descendant that it left; on Windows `kill` ends all of them. `closed` resolves
 * when its output is closed.
 */
async function stopProcess(
  child: ChildProcess,
  kill: () => boolean,
  closed: Promise<unknown>,
): Promise<{ readonly process: 'killed' | 'exited'; readonly survivors: Survivors }> {
  const isRunning = child.exitCode === null && child.signalCode === null
  if (isRunning && kill()) await once(child, 'exit')
  const ended = { process: isRunning ? 'killed' : 'exited' } as const
  // After the process itself has ended, the members of its group are its descendants.
  const isGroupLeft = child.pid !== undefined && isProcessGroupAlive(child.pid)
  if (isGroupLeft) endProcessGroup(child.pid)
  if (await waitAtMost(closed, closingMs)) return { ...ended, survivors: isGroupLeft ? 'ended' : 'none' } as const
  child.stdout?.destroy()
  child.stderr?.destroy()
  return { ...ended, survivors: 'out-of-reach' } as const
}

/** Selects the first line of stderr, in which most programs say why they failed; empty without one. */
export function selectFirstLine(stderr: string): string {
  return stderr.trim().split('\n', 1)[0] ?? ''
}

function toLaunchEnd({ isMaxBuffer, exitCode, signal, code = 'unknown' }: EndedProcess): LaunchEnd {
  if (isMaxBuffer) return { how: 'flooded' }
  if (exitCode !== undefined) return { how: 'exited', status: exitCode }
  if (signal !== undefined) return { how: 'signal', signal }
  return { how: 'not-started', code }
}
