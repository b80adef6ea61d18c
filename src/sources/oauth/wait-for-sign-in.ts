// Joins or starts a sign-in in a process that outlives this run, and waits for its end.

import { setTimeout as sleep } from 'node:timers/promises'
import { suggestedTimeoutSec } from '../../contract/limits.ts'
import { HelperError, renderNotice } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import type { DetachingHost } from '../../runtime/program/start-orphan.ts'
import { attemptSignIn, describePrompt, type LocalSignIn } from './attempt-sign-in.ts'
import { openFiles, type SignInFlow, type SignInParts } from './flow.ts'
import { attemptLock, checkHeld } from './progress/locks.ts'
import {
  digestRequest,
  isEndedAfter,
  isOther,
  readNote,
  type ShownPrompt,
  type SignInFiles,
  type SignInNote,
} from './progress/note.ts'
import { recordWaiting } from './progress/ports.ts'
import { startDetached, waitForEnd } from './progress/start-detached.ts'
import { stopInTurn } from './progress/stop.ts'

/**
 * Waits for a sign-in: joins the one that is under way, or starts one in a process that outlives this run.
 * @returns when the person was signed in, in milliseconds since the epoch.
 * @throws {HelperError} `late` at the deadline of this run, which the sign-in outlives; or the failure of the sign-in, equal in all waiting
 * runs.
 */
export async function waitForSignIn(flow: SignInFlow, parts: SignInParts): Promise<number> {
  const { host, call } = parts
  const needsNew = await flow.isSignedIn()
  const isDone = async () => !needsNew && (await flow.isSignedIn())
  const files = await openFiles(flow, parts)
  const display = createPromptDisplay(flow, parts)
  const start = createStart(flow, parts, { files, needsNew, limit: 'run' })
  const replace = createReplace(flow, parts)
  try {
    return await call.deadline.during('sign-in', display.describe, async ({ signal }) => {
      for (;;) {
        const found = files && (await readResult(files, host.clock, isDone))
        signal.throwIfAborted() // after its last message a run writes and starts nothing
        const makeRoom = files && found?.underWay && replace(files, found.underWay)
        display.show(makeRoom ? undefined : found?.underWay?.shown)
        const isWaiting = found?.isHeld && !makeRoom
        const doneAt = isWaiting ? undefined : (found?.doneAt ?? (await start(makeRoom)))
        if (doneAt !== undefined) return doneAt
        if (files) await recordWaiting(files, host.clock.now())
        await sleep(pauseMs, undefined, { signal })
      }
    })
  } catch (error) {
    throw display.explain(error)
  }
}

/** In milliseconds: the interval at which the state of a sign-in is read. */
const pauseMs = 250

/** Creates the record of what this run has shown to the person about a sign-in. */
function createPromptDisplay({ subject }: SignInFlow, { host, call }: SignInParts) {
  let shown: ShownPrompt | undefined
  let said: string | undefined
  return {
    /** Writes the prompt to stderr: once, and again if another process has begun a new sign-in. */
    show: (prompt: ShownPrompt | undefined) => {
      shown = prompt
      const text = prompt ? describePrompt(prompt, subject) : said
      if (text !== undefined && text !== said) host.streams.stderr(renderNotice(call.program, text))
      said = text
    },
    describe: () => `the sign-in to ${subject}`,
    /** Explains a deadline that has passed: the person is not done, but nothing is lost. */
    explain: (error: unknown) => {
      if (!(error instanceof HelperError) || error.kind !== 'late' || !shown) return error
      const isShort = call.deadline.limit.seconds < suggestedTimeoutSec - 2
      const more = isShort ? `; ${moreTimeHint}` : ''
      const hint = `finish it in the browser, and the next start joins it${more}; its page is: ${shown.address}`
      return new HelperError('late', error.message, hint, { cause: error })
    },
  }
}

const moreTimeHint = `for more time, tell your administrator: set timeoutSec in the client's document, and client-timeout here, to ${suggestedTimeoutSec}`

/**
 * Returns a function that starts a sign-in in a separate process, a few times. If that is impossible, it signs in here and returns when
 * the person was signed in.
 */
function createStart(
  flow: SignInFlow,
  parts: SignInParts,
  here: LocalSignIn,
): (makeRoom?: () => Promise<boolean>) => Promise<number | undefined> {
  const { files, needsNew } = here
  const after = needsNew ? parts.host.clock.startedAt : undefined
  let starts = 0
  return async (makeRoom) => {
    const began = files && starts < maxStarts ? await attemptStart(parts.host, files, after, makeRoom) : 'impossible'
    if (began === 'started') starts += 1
    return began === 'impossible' ? attemptSignIn(flow, parts, here) : undefined
  }
}

/** The most processes that a run starts before it signs in by itself, because a process may have been killed. */
const maxStarts = 3

/**
 * Decides whether a run ends a sign-in that is under way, and how: it does so once, if the sign-in began before the run and with other
 * settings. It joins a later sign-in, so that two windows with different settings do not end each other's sign-ins in turn.
 */
function createReplace(flow: SignInFlow, { host: { clock, env }, way }: SignInParts) {
  const own = { request: digestRequest(flow.request), way, browser: env.BROWSER }
  const isMeant = (note: SignInNote) => note.since < clock.startedAt && isOther(note, own)
  let hasTried = false
  return (files: SignInFiles, underWay: SignInNote): (() => Promise<boolean>) | undefined => {
    if (hasTried || !isMeant(underWay)) return undefined
    return async () => {
      hasTried = true
      const lock = await stopInTurn(files, {}, isMeant)
      await lock?.release()
      return lock !== undefined
    }
  }
}

/**
 * Reads the state of a sign-in.
 * @throws {HelperError} the failure of the sign-in, if it ended after this run began.
 */
async function readResult(
  files: SignInFiles,
  { startedAt, now }: Host['clock'],
  isDone: () => Promise<boolean>,
): Promise<{ doneAt?: number; isHeld?: boolean; underWay?: SignInNote | undefined }> {
  // In this order, because a process writes the note before it releases the lock.
  const isHeld = await checkHeld(files.lock)
  const note = await readNote(files)
  if (note?.ended && isEndedAfter(note, startedAt, now())) {
    if (note.ended.failure) throw note.ended.failure
    return { doneAt: note.ended.at }
  }
  if (await isDone()) return { doneAt: now() }
  // The address of an earlier sign-in no longer works. The holder of the lock may not have written its note yet, or may only be looking.
  return { isHeld, underWay: isHeld && !note?.ended ? note : undefined }
}

/**
 * Starts the process that signs in, unless another run does so now or has done so. The child of this process starts it and ends, so that
 * a client that ends a run with all its children does not find it.
 * @param after See `parseAfter`.
 * @param makeRoom Whether no other process signs in now; it may end one.
 */
async function attemptStart(
  host: DetachingHost,
  files: SignInFiles,
  after: number | undefined,
  makeRoom = async () => !(await checkHeld(files.lock)),
): Promise<'started' | 'elsewhere' | 'impossible'> {
  const turn = await attemptLock(files.start)
  try {
    if (!turn || !(await makeRoom())) return 'elsewhere'
    const status = await waitForEnd(startDetached(host, 'start', after))
    return status === 0 ? 'started' : 'impossible'
  } finally {
    await turn?.release()
  }
}
