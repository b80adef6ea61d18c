import { lutimes, open } from 'node:fs/promises'
import { readLinkStatus } from '../../../runtime/disk.ts'
import type { SignInFiles } from './sign-in-files.ts'

/** Notes that a run waits. An error is ignored: without it no browser is opened a second time. */
export async function recordWaiting({ waiting }: SignInFiles, now: number): Promise<void> {
  try {
    await lutimes(waiting, now / 1000, now / 1000)
  } catch {
    await open(waiting, 'wx', 0o600).then(
      (file) => file.close(),
      () => undefined,
    )
  }
}

/** When a run last waited, in milliseconds since the epoch; 0 where none has. */
export async function readLastWaiting({ waiting }: SignInFiles): Promise<number> {
  try {
    return (await readLinkStatus(waiting)).mtimeMs
  } catch {
    return 0
  }
}

/** In milliseconds. Runs that wait say so every second; after so long a silence nobody waited. */
const silenceMs = 10_000

/** In milliseconds, how long a tab is taken for one that the person still has before them. Our decision. */
const tabMs = 120_000

/**
 * Whether to open the same address once more: nobody sees that a tab was closed, but when a run begins to wait after nobody did,
 * minutes after the tab was opened, the person has come back and looks for it.
 */
export function isReopeningDue(moment: {
  readonly now: number
  readonly openedAt: number | undefined
  readonly lastWaiting: number
  readonly waitingBefore: number
}): boolean {
  const { now, openedAt, lastWaiting, waitingBefore } = moment
  return openedAt !== undefined && now - openedAt >= tabMs && lastWaiting - waitingBefore >= silenceMs
}
