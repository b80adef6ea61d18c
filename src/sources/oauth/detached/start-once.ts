import { attemptLock, isHeld } from '../progress/locks.ts'
import type { SignInFiles } from '../progress/sign-in-files.ts'
import { type DetachingHost, startDetached, waitForEnd } from './start-detached.ts'

/**
 * Starts the process that signs in, unless another run does so now or has done so. What is started here starts that one and
 * ends, so that no client that ends a run with its children, and theirs, finds it.
 * @param after See `parseAfter`.
 */
export async function startOnce(
  host: DetachingHost,
  files: SignInFiles,
  after: number | undefined,
): Promise<'started' | 'elsewhere' | 'impossible'> {
  const turn = await attemptLock(files.start)
  try {
    if (!turn || (await isHeld(files.lock))) return 'elsewhere'
    const status = await waitForEnd(startDetached(host, 'start', after))
    return status === 0 ? 'started' : 'impossible'
  } finally {
    await turn?.release()
  }
}
