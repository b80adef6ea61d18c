import { setTimeout as sleep } from 'node:timers/promises'
import { HelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import { readNote } from '../progress/note.ts'
import type { SignInFiles } from '../progress/sign-in-files.ts'
import { type DetachingHost, startDetached, waitForEnd } from './start-detached.ts'

/** In milliseconds, how long the process that signs in may take until it does. */
const longestStartMs = 10_000
const pauseMs = 50

/**
 * Starts the process that signs in, and waits until it does or has nothing to do. Then it is on its own, and nobody's child.
 * @throws {HelperError} where it failed at once, which tells the run to sign in by itself.
 */
export async function startHolder(host: DetachingHost & Pick<Host, 'clock'>, files: SignInFiles): Promise<void> {
  const child = startDetached(host, 'hold')
  let ended: { readonly status: number | undefined } | undefined
  const end = waitForEnd(child).then((status) => {
    ended = { status }
  })
  const begin = host.clock.elapsedMs()
  while (!ended && host.clock.elapsedMs() - begin < longestStartMs) {
    if ((await readNote(files))?.pid === child.pid) return
    await Promise.race([end, sleep(pauseMs)])
  }
  if (ended?.status !== 0)
    throw new HelperError('unavailable', 'the process that signs in does not start', 'sign in without it')
}
