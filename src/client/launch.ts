import type { ChildProcess } from 'node:child_process'
import { performance } from 'node:perf_hooks'
import { execa } from 'execa'
import { limits } from '../contract/limits.ts'
import { type Environment, endProcessGroup, hasProcessGroup } from '../runtime/host.ts'
import type { LaunchCommand } from './launch-command.ts'

/** What happened to a process that was started as the client starts helpers. */
export interface Launched {
  readonly ended: LaunchEnd
  readonly stdout: Uint8Array
  /** The last 64 KiB. */
  readonly stderr: string
  /** Real time, whatever the client's clock says. */
  readonly durationMs: number
  /** Whether descendants outlived the process; they have been ended. */
  readonly survivors: 'none' | 'ended'
}

export type LaunchEnd =
  | { readonly how: 'exited'; readonly status: number }
  | { readonly how: 'signal'; readonly signal: string }
  | { readonly how: 'timeout' }
  | { readonly how: 'not-started'; readonly code: string }

/**
 * Starts a program with no stdin and no terminal and waits for it, at most `timeoutMs` of real time. Then the process,
 * and only it, is killed, as the client does; what it leaves behind is reported and ended.
 */
export async function launch(command: LaunchCommand, env: Environment, timeoutMs: number): Promise<Launched> {
  const startedAt = performance.now()
  const subprocess = execa(command.file, command.args, {
    env,
    extendEnv: false,
    cwd: '/',
    stdin: 'ignore',
    encoding: 'buffer',
    buffer: { stderr: false },
    maxBuffer: { stdout: limits.stdoutBytes + 1 },
    reject: false,
    detached: true, // its own process group, by which descendants are found again
    cleanup: true,
    windowsHide: true,
    windowsVerbatimArguments: command.isVerbatim ?? false,
    forceKillAfterDelay: false,
  })
  const tail = keepTail(subprocess.stderr)
  const watch = watchTimeout(subprocess.nodeChildProcess, timeoutMs)
  const result = await subprocess
  clearTimeout(watch.timer)
  return {
    ended: watch.isOver() ? { how: 'timeout' } : endOf(result),
    stdout: result.stdout ?? new Uint8Array(),
    stderr: tail(),
    durationMs: Math.round(performance.now() - startedAt),
    survivors: watch.survivors(),
  }
}

/** A descendant that holds the pipes keeps a client waiting even after the process itself has ended. */
function watchTimeout(subprocess: ChildProcess, timeoutMs: number) {
  let over = false
  let found: Launched['survivors'] = 'none'
  const { pid } = subprocess
  const endSurvivors = () => {
    if (pid === undefined || !hasProcessGroup(pid)) return
    found = 'ended'
    endProcessGroup(pid)
  }
  const timer = setTimeout(() => {
    over = true
    const hasEnded = subprocess.exitCode !== null || subprocess.signalCode !== null
    if (hasEnded) endSurvivors()
    else subprocess.kill('SIGKILL')
  }, timeoutMs)
  // Only after the process itself is gone are the members of its group its descendants.
  subprocess.on('exit', () => {
    if (over) endSurvivors()
  })
  return { timer, isOver: () => over, survivors: () => found }
}

interface EndedProcess {
  readonly exitCode?: number | undefined
  readonly signal?: string | undefined
  readonly code?: string | undefined
}

function endOf(result: EndedProcess): LaunchEnd {
  if (result.exitCode !== undefined) return { how: 'exited', status: result.exitCode }
  if (result.signal !== undefined) return { how: 'signal', signal: result.signal }
  return { how: 'not-started', code: result.code ?? 'unknown' }
}

function keepTail(stream: NodeJS.ReadableStream): () => string {
  let kept = Buffer.alloc(0)
  stream.on('data', (chunk: Buffer) => {
    kept = Buffer.concat([kept, chunk]).subarray(-limits.stderrTailBytes)
  })
  return () => kept.toString('utf8')
}
