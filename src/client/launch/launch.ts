import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { performance } from 'node:perf_hooks'
import { execa } from 'execa'
import { limits } from '../../contract/limits.ts'
import type { Environment } from '../../runtime/environment.ts'
import { endProcessGroup, hasProcessGroup, keepsProcessGroups } from '../../runtime/host.ts'
import type { LaunchCommand } from './launch-command.ts'

/** What happened to a process that was started as the client starts helpers. */
export interface Launched {
  readonly ended: LaunchEnd
  /** Empty after a timeout; one byte more than a client reads when the process was ended for that. */
  readonly stdout: Uint8Array
  /** The last 64 KiB. */
  readonly stderr: string
  /** Real time, whatever the client's clock says. */
  readonly durationMs: number
  readonly survivors: Survivors
}

export type LaunchEnd =
  | { readonly how: 'exited'; readonly status: number }
  | { readonly how: 'signal'; readonly signal: string }
  /** `exited` where only a process that it left behind kept its output open. */
  | { readonly how: 'timeout'; readonly process: 'killed' | 'exited' }
  | { readonly how: 'flooded' }
  | { readonly how: 'not-started'; readonly code: string }

/** Descendants that outlived a timeout: ended, or known only by the pipes that they still held. */
export type Survivors = 'none' | 'ended' | 'out-of-reach'

/** What a look from outside at a run asks for beside what a client does. */
export interface LaunchOptions {
  /** What it finds on stdin: the end (the default, as from a client), or nothing for as long as it waits. */
  readonly stdin?: 'ended' | 'silent'
  /** Told once the process is there. */
  readonly onStart?: (pid: number) => void
  /** Ends the run before its timeout, in the same way. */
  readonly signal?: AbortSignal
}

/**
 * Starts a program with no stdin and no terminal and waits until it has ended and its output is closed, at most
 * `timeoutMs` of real time. Then the process, and only it, is killed, as the client does; what it leaves behind is
 * reported and ended.
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
  const result = await within(subprocess, timeoutMs, signal)
  const kill = () => (keepsProcessGroups() ? subprocess.nodeChildProcess : subprocess).kill('SIGKILL')
  const stopped = result ? undefined : await stop(subprocess.nodeChildProcess, kill, subprocess)
  return {
    ended: result ? endOf(result) : { how: 'timeout', process: stopped?.process ?? 'killed' },
    stdout: result?.stdout ?? new Uint8Array(),
    stderr: tail(),
    durationMs: Math.round(performance.now() - startedAt),
    survivors: stopped?.survivors ?? 'none',
  }
}

function start({ file, args, isVerbatim = false }: LaunchCommand, env: Environment, stdin: 'ended' | 'silent') {
  return execa(file, args, {
    env,
    extendEnv: false,
    cwd: '/',
    stdin: stdin === 'silent' ? 'pipe' : 'ignore',
    encoding: 'buffer',
    stripFinalNewline: false,
    buffer: { stderr: false },
    maxBuffer: { stdout: limits.stdoutBytes + 1 },
    reject: false,
    killDescendants: true, // its own process group, by which descendants are found again
    killSignal: 'SIGKILL',
    windowsHide: true,
    windowsVerbatimArguments: isVerbatim,
  })
}

/** How long pipes may stay open after everybody within reach has been killed. */
const closingMs = 200

/** Kills the process alone, then looks for what it left behind; on Windows all of it at once. */
async function stop(child: ChildProcess, kill: () => boolean, closed: Promise<unknown>) {
  const isRunning = child.exitCode === null && child.signalCode === null
  if (isRunning && kill()) await once(child, 'exit')
  const ending = { process: isRunning ? 'killed' : 'exited' } as const
  // Only now, after the process itself is gone, are the members of its group its descendants.
  const isGroupLeft = child.pid !== undefined && hasProcessGroup(child.pid)
  if (isGroupLeft) endProcessGroup(child.pid)
  if (await within(closed, closingMs)) return { ...ending, survivors: isGroupLeft ? 'ended' : 'none' } as const
  child.stdout?.destroy()
  child.stderr?.destroy()
  return { ...ending, survivors: 'out-of-reach' } as const
}

/** What `promise` becomes, or `undefined` when that takes longer or nobody wants it any more. */
async function within<T>(promise: Promise<T>, ms: number, signal?: AbortSignal): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const giveUp = () => resolve(undefined)
  const timer = setTimeout(giveUp, ms)
  if (signal?.aborted) giveUp()
  signal?.addEventListener('abort', giveUp)
  const first = await Promise.race([promise, late])
  clearTimeout(timer)
  signal?.removeEventListener('abort', giveUp)
  return first
}

interface EndedProcess {
  readonly isMaxBuffer: boolean
  readonly exitCode?: number | undefined
  readonly signal?: string | undefined
  readonly code?: string | undefined
}

function endOf({ isMaxBuffer, exitCode, signal, code = 'unknown' }: EndedProcess): LaunchEnd {
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
