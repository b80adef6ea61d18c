import { setTimeout as sleep } from 'node:timers/promises'
import { suggestedTimeoutSec } from '../../contract/limits.ts'
import { HelperError, renderNotice } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { attemptSignIn, type Here } from './attempt-sign-in.ts'
import { describePrompt } from './describe-prompt.ts'
import { startOnce } from './detached/start-once.ts'
import type { SignInFlow } from './flow.ts'
import { openFiles } from './open-files.ts'
import type { SignInParts } from './parts.ts'
import { recordWaiting } from './progress/beat.ts'
import { isHeld } from './progress/locks.ts'
import { isEndedAfter, readNote, type ShownPrompt } from './progress/note.ts'
import type { SignInFiles } from './progress/sign-in-files.ts'

/** In milliseconds, between two looks at a sign-in that is under way. */
const pauseMs = 250

/** How often a run starts a process that signs in, before it does so itself. One may have been killed. */
const mostStarts = 3

/**
 * Waits for a sign-in: joins the one that is under way, or starts one in a process that outlives this run.
 * @returns since when it is done, in milliseconds since the epoch.
 * @throws {HelperError} `late` at the deadline of this run, which the sign-in outlives; or how it ended, for all who waited alike.
 */
export async function waitForSignIn(flow: SignInFlow, parts: SignInParts): Promise<number> {
  const { host, call } = parts
  const needsNew = await flow.isSignedIn()
  const isDone = async () => !needsNew && (await flow.isSignedIn())
  const files = await openFiles(flow, parts)
  const sight = createSight(flow, parts)
  const start = createStart(flow, parts, { files, needsNew, limit: 'run' })
  try {
    return await call.deadline.during('sign-in', sight.describe, async ({ signal }) => {
      for (;;) {
        const found = files && (await look(files, host.clock, isDone))
        sight.show(found?.isHeld ? found.shown : undefined)
        const doneAt = found?.isHeld ? undefined : (found?.doneAt ?? (await start()))
        if (doneAt !== undefined) return doneAt
        if (files) await recordWaiting(files, host.clock.now())
        await sleep(pauseMs, undefined, { signal })
      }
    })
  } catch (error) {
    throw sight.explain(error)
  }
}

/**
 * Starts a sign-in in a process of its own, a few times; where that cannot be, signs in here, and gives since when that is done.
 */
function createStart(flow: SignInFlow, parts: SignInParts, here: Here): () => Promise<number | undefined> {
  const { files, needsNew } = here
  const after = needsNew ? parts.host.clock.startedAt : undefined
  let starts = 0
  return async () => {
    const began = files && starts < mostStarts ? await startOnce(parts.host, files, after) : 'impossible'
    if (began === 'started') starts += 1
    return began === 'impossible' ? attemptSignIn(flow, parts, here) : undefined
  }
}

/**
 * How it stands with a sign-in.
 * @throws {HelperError} how it ended, if it ended while this run was there.
 */
async function look(
  files: SignInFiles,
  { startedAt, now }: Host['clock'],
  isDone: () => Promise<boolean>,
): Promise<{ doneAt?: number; isHeld?: boolean; shown?: ShownPrompt | undefined }> {
  // In this order: whoever releases the lock has written the note before.
  const held = await isHeld(files.lock)
  const note = await readNote(files)
  if (note?.ended && isEndedAfter(note, startedAt, now())) {
    if (note.ended.failure) throw note.ended.failure
    return { doneAt: note.ended.at }
  }
  if (await isDone()) return { doneAt: now() }
  // What an earlier sign-in showed leads nowhere; who holds the lock has not written yet, or only looks.
  return { isHeld: held, shown: note?.ended ? undefined : note?.shown }
}

/** What this run has seen of a sign-in, and says of it. */
function createSight({ subject }: SignInFlow, { host, call }: SignInParts) {
  let shown: ShownPrompt | undefined
  let said: string | undefined
  return {
    /** Says on stderr what there is to do: once, and again where another process has begun anew. */
    show: (prompt: ShownPrompt | undefined) => {
      shown = prompt
      const text = prompt ? describePrompt(prompt, subject) : said
      if (text !== undefined && text !== said) host.streams.stderr(renderNotice(call.program, text))
      said = text
    },
    describe: () => `the sign-in to ${subject}${shown ? ` at ${shown.address}` : ''}`,
    /** At the deadline the person is not done, and nothing is lost. */
    explain: (error: unknown) => {
      if (!(error instanceof HelperError) || error.kind !== 'late' || !shown) return error
      const isShort = call.deadline.limit.seconds < suggestedTimeoutSec - 2
      const more = isShort ? `; for more time, ${describeMoreTime}` : ''
      return new HelperError('late', error.message, `finish it there: the next start joins it${more}`, { cause: error })
    },
  }
}

const describeMoreTime = `set timeoutSec in the client's document, and client-timeout here, to ${suggestedTimeoutSec}`
