import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { endProcess, type Host, prepareOwnCommand } from '../host.ts'
import type { Environment } from '../run-process.ts'
import { renewalCommand, renewalStepVariable } from './renewal-command.ts'
import { startDetachedProcess } from './start-detached-process.ts'

/** The parts of a host that decide how its program is started again. */
export type DetachingHost = Pick<Host, 'argv' | 'env' | 'platform' | 'ownCommand'>

/**
 * Starts this program again with the arguments of this run, to renew a sign-in, as an orphan: a client that ends a run with all its
 * descendants does not find it.
 * @returns its process id; `undefined` if no process can be started.
 */
export async function startOrphan(host: Omit<DetachingHost, 'env'>, env: Environment): Promise<number | undefined> {
  try {
    const relay = startDetachedProcess(prepareOwnCommand(host, [renewalCommand, ...host.argv]), {
      env: { ...env, [renewalStepVariable]: 'relay' },
      platform: host.platform,
      output: 'read',
    })
    const timer = setTimeout(() => relay.kill('SIGKILL'), longestStartMs)
    const [printed] = await Promise.all([text(relay.stdout!), once(relay, 'exit')]).finally(() => clearTimeout(timer))
    return Number(printed) || undefined
  } catch {
    return undefined
  }
}

/** In milliseconds: how long the relay may take. Our decision. */
const longestStartMs = 10_000

/** Runs the relay: starts the renewing process, prints its process ID, and ends. */
export async function runRelay({ argv, env, platform, streams }: Host): Promise<void> {
  const child = startDetachedProcess(prepareOwnCommand({ argv }, argv), {
    env: { ...env, [renewalStepVariable]: 'hold' },
    platform,
  })
  const pid = await findPid(child)
  if (pid !== undefined) await streams.stdout(String(pid)).catch(() => undefined) // fails if its run was killed
  endProcess(pid === undefined ? 1 : 0, 'finished')
}

/** Finds the process ID; `undefined` if the program cannot be started, which the relay reports by its exit status. */
async function findPid(child: ChildProcess): Promise<number | undefined> {
  try {
    await once(child, 'spawn')
    return child.pid
  } catch {
    return undefined
  }
}
