import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { findOwnCommand, type Host } from '../../../runtime/host.ts'
import { openStdio } from './open-stdio.ts'
import { type DetachedStep, toDetachedEnvironment } from './to-detached-environment.ts'

/** The first argument of the command by which a helper signs in. */
export const signInCommand = 'sign-in'

/** What of the host decides how this program is started. */
export type DetachingHost = Pick<Host, 'argv' | 'env' | 'platform' | 'ownCommand'>

/**
 * Starts this program once more, to sign in with the same options, in a session of its own and with none of our pipes. It
 * survives when this process, its group or its children are killed.
 * @param after See `parseAfter`.
 */
export function startDetached(
  { argv, env, platform, ownCommand }: DetachingHost,
  step: DetachedStep,
  after?: number,
): ChildProcess {
  const wanted = argv[0] === signInCommand ? argv : [signInCommand, ...argv]
  const { program, args, argv0 } = ownCommand
    ? { ...ownCommand, args: [...ownCommand.args, ...wanted] }
    : findOwnCommand(argv, wanted)
  const { stdio, close } = openStdio(platform)
  const child = spawn(program, args, {
    argv0,
    env: { ...toDetachedEnvironment(env, step, after) },
    detached: true,
    stdio: stdio === 'ignore' ? stdio : [...stdio],
    windowsHide: true,
  })
  close()
  child.unref()
  return child
}

/** Waits until a process has ended. @returns its status; `undefined` where it was killed or could not be started. */
export async function waitForEnd(child: ChildProcess): Promise<number | undefined> {
  try {
    const [status] = (await once(child, 'exit')) as [number | null] // as Node documents the event
    return status ?? undefined
  } catch {
    return undefined
  }
}
