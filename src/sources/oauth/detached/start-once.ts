import { setTimeout as sleep } from 'node:timers/promises'
import type { Host } from '../../../runtime/host.ts'
import { attemptLock, isHeld } from '../progress/locks.ts'
import { readNote } from '../progress/note.ts'
import type { SignInFiles } from '../progress/sign-in-files.ts'
import { startDetached } from './start-detached.ts'

/** In milliseconds, how long a process that was started may take until it signs in. */
const longestStartMs = 10_000
const pauseMs = 50

interface StartParts {
  /** See `parseAfter`. */
  readonly after: number | undefined
  /** Whether the person has been signed in meanwhile. */
  isDone(): Promise<boolean>
  readonly signal: AbortSignal
}

/**
 * Starts the process that signs in, unless another run does so now or has done so.
 * @returns how many were started.
 */
export async function startOnce(
  host: Pick<Host, 'argv' | 'env' | 'clock'>,
  files: SignInFiles,
  { after, isDone, signal }: StartParts,
): Promise<0 | 1> {
  const turn = await attemptLock(files.start)
  try {
    if (!turn || (await isHeld(files.lock))) return 0
    const begin = host.clock.now()
    await startDetached(host, 'start', after)
    while (host.clock.now() - begin < longestStartMs) {
      if ((await isHeld(files.lock)) || ((await readNote(files))?.since ?? 0) >= begin || (await isDone())) break
      await sleep(pauseMs, undefined, { signal })
    }
    return 1
  } finally {
    await turn?.release()
  }
}
