import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { findOwnCommand, type Host } from '../../../runtime/host.ts'
import { type DetachedStep, toDetachedEnvironment } from './to-detached-environment.ts'

/** The first argument of the command by which a helper signs in. */
export const signInCommand = 'sign-in'

/**
 * Starts this program once more, to sign in with the same options, in a session of its own and with none of our pipes. It
 * survives when this process, its group or its children are killed.
 * @param after See `parseAfter`.
 * @returns when the second process is on its own: the first has started it and ended.
 */
export async function startDetached(
  host: Pick<Host, 'argv' | 'env'>,
  step: DetachedStep,
  after?: number,
): Promise<void> {
  const { argv, env } = host
  const wanted = argv[0] === signInCommand ? argv : [signInCommand, ...argv]
  const { program, args, argv0 } = findOwnCommand(argv, wanted)
  const child = spawn(program, args, {
    argv0,
    env: { ...toDetachedEnvironment(env, step, after) },
    detached: true,
    stdio: 'ignore',
    windowsHide: true,
  })
  if (step === 'start') await once(child, 'exit')
  else await once(child, 'spawn')
  child.unref()
}
