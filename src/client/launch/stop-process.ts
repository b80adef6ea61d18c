import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { endProcessGroup, isProcessGroupAlive } from '../../runtime/host.ts'

/** Descendants that still ran after a timeout: ended, or out of reach and known only by the pipes that they hold open. */
export type Survivors = 'none' | 'ended' | 'out-of-reach'

/** How long pipes may stay open after every process within reach has been killed. */
const closingMs = 200

/**
 * Ends a process whose time is over with `kill`, then every descendant that it left; on Windows `kill` ends all of them.
 * `closed` resolves when its output is closed.
 */
export async function stopProcess(
  child: ChildProcess,
  kill: () => boolean,
  closed: Promise<unknown>,
): Promise<{ readonly process: 'killed' | 'exited'; readonly survivors: Survivors }> {
  const isRunning = child.exitCode === null && child.signalCode === null
  if (isRunning && kill()) await once(child, 'exit')
  const ended = { process: isRunning ? 'killed' : 'exited' } as const
  // Once the process itself has ended, the members of its group are its descendants.
  const isGroupLeft = child.pid !== undefined && isProcessGroupAlive(child.pid)
  if (isGroupLeft) endProcessGroup(child.pid)
  if (await waitAtMost(closed, closingMs)) return { ...ended, survivors: isGroupLeft ? 'ended' : 'none' } as const
  child.stdout?.destroy()
  child.stderr?.destroy()
  return { ...ended, survivors: 'out-of-reach' } as const
}

/** The value of `promise`; `undefined` if that takes longer than `ms` or the signal is aborted. */
export async function waitAtMost<T>(promise: Promise<T>, ms: number, signal?: AbortSignal): Promise<T | undefined> {
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
