// Starts the process that signs in, and waits for the end of a process.

import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { prepareOwnCommand } from '../../../runtime/host.ts'
import { startDetachedProcess } from '../../../runtime/program/start-detached-process.ts'
import type { DetachingHost } from '../../../runtime/program/start-orphan.ts'
import { type DetachedStep, toDetachedEnvironment } from './to-detached-environment.ts'

/** The first argument of the command by which a helper signs in. */
const signInCommand = 'sign-in'

/**
 * Starts this program again, to sign in with the same options.
 * @param after See `parseAfter`.
 */
export function startDetached(host: DetachingHost, step: DetachedStep, after?: number): ChildProcess {
  const { argv, env, platform } = host
  const wanted = argv[0] === signInCommand ? argv : [signInCommand, ...argv]
  return startDetachedProcess(prepareOwnCommand(host, wanted), {
    env: toDetachedEnvironment(env, step, after),
    platform,
  })
}

/** Waits until a process has ended. @returns its status; `undefined` if it was killed or could not be started. */
export async function waitForEnd(child: ChildProcess): Promise<number | undefined> {
  try {
    const [status] = (await once(child, 'exit')) as [number | null] // as Node documents the event
    return status ?? undefined
  } catch {
    return undefined
  }
}
