// Folder: what every sign-in of a person shares: the flow, the browser, the device, and waiting for either.

import { setTimeout as sleep } from 'node:timers/promises'
import { HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import type { DetachingHost } from '../../runtime/program/start-orphan.ts'
import { attemptSignIn, createRelease } from './attempt-sign-in.ts'
import { openFiles, type SignInFlow, type SignInParts } from './flow.ts'
import { waitForLock } from './progress/locks.ts'
import { isEndedAfter, readNote, type SignInFiles, writeNote } from './progress/note.ts'
import { openPortClaim, readLastWaiting } from './progress/ports.ts'
import { startDetached, waitForEnd } from './progress/start-detached.ts'
import { readStop, stopSignIn } from './progress/stop.ts'
import { detectStep, parseAfter } from './progress/to-detached-environment.ts'
import { runFlow } from './run-flow.ts'
import { waitForSignIn } from './wait-for-sign-in.ts'

/**
 * Runs the command that signs in. A person who types it waits for it; a run that starts it as a process does not (see `detectStep`). A
 * person's command begins a new sign-in and ends the one that is under way, whose waiting runs then wait for the new one.
 * @returns whether a person waits for it.
 * @throws {HelperError} the failure of the sign-in.
 */
export async function runSignIn(flow: SignInFlow, parts: SignInParts): Promise<{ readonly isWatched: boolean }> {
  const step = detectStep(parts.host.env)
  const files = await openFiles(flow, parts)
  if (step && files) {
    await (step === 'start' ? startHolder(parts.host, files) : runDetached(flow, parts, files))
    return { isWatched: false }
  }
  const acquire = (own: SignInFiles) => stopSignIn(own, {})
  const at = await attemptSignIn(flow, parts, { files, needsNew: true, limit: 'provider', acquire })
  // The sign-in that is under way does not end, so this run joins it.
  if (at === undefined) await waitForSignIn(flow, parts)
  return { isWatched: true }
}

/** In milliseconds: how long a person who goes back in the browser can still load the last page. Our decision. */
const pagesMs = 60_000

/**
 * Starts the process that signs in, and waits until it has begun or has nothing to do. This process then ends, so that no process of the
 * run is the other one's parent.
 * @throws {HelperError} if it failed at once; the run then signs in by itself.
 */
async function startHolder(host: DetachingHost & Pick<Host, 'clock'>, files: SignInFiles): Promise<void> {
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

/** Signs a person in for the waiting runs. Nobody reads its output. */
async function runDetached(flow: SignInFlow, parts: SignInParts, files: SignInFiles): Promise<void> {
  const after = parseAfter(parts.host.env)
  const lock = await waitForLock(files.lock)
  if (!lock) return // another process signs in
  const release = createRelease(lock)
  try {
    if (await isDoneMeanwhile(flow, parts, { files, after })) return
    await runFlow(flow, parts, {
      record: (note) => writeNote(files, note),
      tell: () => {},
      readLastWaiting: () => readLastWaiting(files),
      readStop: (own) => readStop(files, own),
      openClaim: (port, own) =>
        openPortClaim(port, { files, own, subject: flow.subject, isWatched: false }, parts.host.clock.now),
      release,
      pagesMs,
      needsNew: after !== undefined,
      limit: 'provider',
    })
  } finally {
    await release()
  }
}

async function isDoneMeanwhile(
  flow: SignInFlow,
  { host }: SignInParts,
  { files, after }: { readonly files: SignInFiles; readonly after: number | undefined },
): Promise<boolean> {
  if (after === undefined) return flow.isSignedIn()
  const note = await readNote(files)
  return note !== undefined && !note.ended?.failure && isEndedAfter(note, after, host.clock.now())
}

/** In milliseconds: how long the process that signs in may take to begin. Our decision. */
const longestStartMs = 10_000
const pauseMs = 50
