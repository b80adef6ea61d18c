// Runs one sign-in to its end in the process that holds its lock, and writes the note for the waiting runs.

import { setTimeout as sleep } from 'node:timers/promises'
import { Deadline } from '../../runtime/deadline.ts'
import { HelperError, toHelperError } from '../../runtime/failure.ts'
import { observeProcessId } from '../../runtime/host.ts'
import { describeUnfinished, newSignInHint, type SignInFlow, type SignInParts } from './flow.ts'
import type { SignedInPage, SignInOutcome } from './listener/callback.ts'
import { createListeners, type Listeners } from './listener/create-listeners.ts'
import { digestRequest, type ShownPrompt, type SignInNote } from './progress/note.ts'
import { isReopeningDue, type PortClaim } from './progress/ports.ts'
import type { Stop } from './progress/stop.ts'
import { createTools, type OwnTools } from './sign-in-tools.ts'

/**
 * Runs a flow to its end, and records each step for the waiting runs.
 * @returns when the person was signed in, in milliseconds since the epoch.
 * @throws {HelperError} the failure of the sign-in.
 */
export async function runFlow(flow: SignInFlow, given: SignInParts, holding: Holding): Promise<number> {
  const { clock } = given.host
  const parts = holding.limit === 'run' ? given : { ...given, call: withOwnDeadline(flow, given) }
  const { program } = given.call
  const purpose = flow.purpose === undefined ? program : `${program}, with ${flow.purpose}`
  const own = { pid: observeProcessId(), since: clock.now() }
  let claim: PortClaim | undefined
  const listeners = createListeners({ subject: flow.subject, purpose }, async (port) => {
    claim = await holding.openClaim?.(port, own)
    return async () => claim?.release()
  })
  const notes = createNotes({ ...own, request: digestRequest(flow.request), way: given.way }, holding)
  const ending = createEnding()
  // The clock of the deadline stops while the machine sleeps.
  const isOver = () =>
    holding.limit === 'provider' && (parts.call.deadline.isOver() || clock.now() - own.since > flow.limitSec * 1000)
  const end = (outcome: SignInOutcome) => endSignIn(outcome, clock.now(), { notes, listeners, holding })
  const tell = async (shown: ShownPrompt) => {
    if (notes.latest().ended || ending.signal.aborted) return // the note may already belong to the next sign-in
    await notes.record({ shown })
    holding.tell(shown)
  }
  const readStop = async () => (await holding.readStop(own)) ?? claim?.readStop()
  try {
    await notes.record({})
    const tools = await createTools(parts, { listeners, tell, ending })
    const findShown = () => notes.latest().shown
    return await end(await waitForEnd(flow, tools, { holding, isOver, readStop, findShown, ending }))
  } catch (error) {
    const failure = isOver() ? await createEndFailure(toHelperError(error), flow, listeners) : toHelperError(error)
    await end(failure)
    throw failure
  } finally {
    await closeListeners(listeners, ending.signal, holding)
  }
}

/** The connections of a flow to the process that runs it, and to the waiting runs. */
interface Holding {
  /** Writes the note for the waiting runs. If it throws before anything is shown, the sign-in ends. */
  record(note: SignInNote): Promise<void>
  /** Shows a prompt to the person who watches this process. */
  tell(prompt: ShownPrompt): void
  /** Reads when a run last waited, in milliseconds since the epoch. */
  readLastWaiting(): Promise<number>
  /** Reads the order to end this sign-in, if there is one. */
  readStop(own: Pick<SignInNote, 'pid' | 'since'>): Promise<Stop | undefined>
  /** Claims a port for this sign-in, if it can be distinguished from other sign-ins of this user. */
  openClaim?(port: number, own: Pick<SignInNote, 'pid' | 'since'>): Promise<PortClaim | undefined>
  /** Releases the lock, so that the next sign-in can begin. */
  release(): Promise<void>
  /** Whether the stored sign-in was refused, so that only a new one counts. */
  readonly needsNew: boolean
  /** `provider`: the sign-in may take as long as the provider allows; `run`: it ends with the run that needs it. */
  readonly limit: 'provider' | 'run'
  /** In milliseconds: how long the last page can be loaded again. */
  readonly pagesMs: number
}

/** Creates the deadline of the flow, counted from now and not from the start of the process. */
function withOwnDeadline({ limitSec }: SignInFlow, { host: { clock }, call }: SignInParts): SignInParts['call'] {
  const seconds = Math.ceil(clock.elapsedMs() / 1000) + limitSec
  return { ...call, deadline: new Deadline({ seconds, hint: newSignInHint }, clock) }
}

/** Creates the note of a sign-in, and writes each change. */
function createNotes(first: SignInNote, holding: Pick<Holding, 'record'>) {
  let note = first
  let recorded: Promise<unknown> = Promise.resolve()
  return {
    latest: () => note,
    record: async (change: Partial<SignInNote>): Promise<void> => {
      note = { ...note, ...change }
      // Notes are written one after the other, so that none is written after the lock is released.
      const turn = recorded.then(() => holding.record(note))
      // Each caller gets the error of its own note, and the next note is still written.
      recorded = turn.catch(() => undefined)
      await turn
    },
  }
}

/** Creates the decision whether a sign-in is stored or ended first, so that the reported end agrees with the store. */
function createEnding() {
  const ended = new AbortController()
  let isStoring = false
  return {
    signal: ended.signal,
    beginStoring: () => {
      ended.signal.throwIfAborted()
      isStoring = true
    },
    /** Ends the sign-in, unless its result is being stored or is stored. @returns whether it has ended. */
    attemptEnd: (reason?: unknown): boolean => {
      if (!isStoring) ended.abort(reason)
      return !isStoring
    },
  }
}

/**
 * Writes the end of the sign-in for the waiting runs, releases the lock, and shows the outcome in every tab.
 * @param at In milliseconds since the epoch.
 * @returns `at`.
 */
async function endSignIn(
  outcome: SignInOutcome,
  at: number,
  { notes, listeners, holding }: SignInInProgress,
): Promise<number> {
  const failure = outcome instanceof HelperError ? outcome : undefined
  // If the note cannot be written, the waiting runs read the store. A note without an end makes them wait for the next sign-in.
  if (!isReplaced(failure)) await notes.record({ ended: { at, failure } }).catch(() => undefined)
  await listeners.releasePorts(outcome)
  await holding.release()
  await listeners.finish(outcome)
  return at
}

interface SignInInProgress {
  readonly notes: Pick<ReturnType<typeof createNotes>, 'record'>
  readonly listeners: Pick<Listeners, 'releasePorts' | 'finish'>
  readonly holding: Pick<Holding, 'release'>
}

function isReplaced(failure: unknown): boolean {
  return failure instanceof StoppedError && failure.isReplaced
}

/** Waits until the flow has ended, or the person has signed in with another program. A result that is being stored is stored first. */
async function waitForEnd(
  flow: SignInFlow,
  tools: OwnTools,
  { readStop, ending, ...conditions }: EndConditions,
): Promise<SignedInPage> {
  const watching = new AbortController()
  const watches = { flow, tools, ...conditions, signal: watching.signal }
  const running = flow.run(tools).then(() => ({}))
  return tools.call.deadline
    .during('sign-in', `the sign-in to ${flow.subject}`, () =>
      Promise.race([
        running,
        waitForStore(watches).then(() => ({ isElsewhere: true }) as const),
        ...[repeatOpening(watches), waitForStop(watches, readStop), tools.failure],
      ]),
    )
    .finally(() => watching.abort())
    .then(
      (page) => (ending.attemptEnd() ? page : running),
      (error: unknown) => {
        if (!ending.attemptEnd(error)) return running
        throw error
      },
    )
}

/** The conditions that decide, besides the flow, how a sign-in ends. */
interface EndConditions extends Pick<WatchedFlow, 'findShown' | 'isOver' | 'holding'> {
  readStop(): Promise<Stop | undefined>
  readonly ending: ReturnType<typeof createEnding>
}

/** Creates the failure at the provider's limit. If the answer of a foreign host was refused, the hint names that host. */
async function createEndFailure(failure: HelperError, flow: SignInFlow, listeners: Listeners): Promise<HelperError> {
  if (failure.kind !== 'late') return failure
  const foreign = listeners.findForeignHost()
  const hint = foreign === undefined ? await flow.explainUnfinished?.() : describeForeignHost(foreign)
  return new HelperError('sign-in-required', describeUnfinished(flow.subject, flow.limitSec), hint ?? newSignInHint, {
    cause: failure,
  })
}

function describeForeignHost(host: string): string {
  const from = host === '' ? 'an unknown address' : host
  return `if people sign in at ${from}, from where the browser came back, add it to additionalRedirectReferrerHosts`
}

/** Closes the listeners; the last page can be loaded again for a while, but not after a sign-out. */
async function closeListeners(
  listeners: Listeners,
  { reason }: AbortSignal,
  { pagesMs }: Pick<Holding, 'pagesMs'>,
): Promise<void> {
  const isSignedOut = reason instanceof StoppedError && !reason.isReplaced
  if (!isSignedOut && listeners.hasPages()) await sleep(pagesMs)
  await listeners.close()
}

/** The conditions that are watched while a flow runs. */
interface WatchedFlow {
  readonly flow: SignInFlow
  readonly tools: OwnTools
  readonly holding: { readonly needsNew: boolean; readLastWaiting(): Promise<number> }
  findShown(): ShownPrompt | undefined
  /** Whether the provider's limit has passed. */
  isOver(): boolean
  /** Ends the watch, without ending the sign-in. */
  readonly signal: AbortSignal
}

/** In milliseconds: the time between two looks at what other programs and the person have done. */
const pauseMs = 1_000

/** In milliseconds: the time within which the flow ends after it has stored the sign-in itself. */
const graceMs = 2_000

/** Resolves when the store has a sign-in that another program made, such as `aws sso login`. */
export async function waitForStore({ flow, holding, signal }: WatchedFlow): Promise<void> {
  // A refused sign-in in the store cannot be distinguished from a valid one.
  if (holding.needsNew) return new Promise(() => {})
  do await sleep(pauseMs, undefined, { signal })
  while (!(await flow.isSignedIn()))
  await sleep(graceMs, undefined, { signal })
}

/**
 * Opens the address again when the person has come back. Never resolves.
 * @throws {HelperError} `late` after the provider's limit, which the deadline's timer misses on a machine that was asleep.
 */
export async function repeatOpening({ tools, holding, findShown, isOver, signal }: WatchedFlow): Promise<never> {
  let waitingBefore = tools.host.clock.now()
  for (;;) {
    await sleep(pauseMs, undefined, { signal })
    if (isOver()) throw new HelperError('late', 'the sign-in took longer than the provider allows', newSignInHint)
    const lastWaiting = await holding.readLastWaiting()
    const now = tools.host.clock.now()
    const { openedAt, unopened } = findShown() ?? {}
    const moment = { now, openedAt, isUnopened: unopened !== undefined, lastWaiting, waitingBefore }
    if (isReopeningDue(moment)) await tools.reopen()
    waitingBefore = Math.max(waitingBefore, lastWaiting)
  }
}

/** In milliseconds: the interval at which the order to end is read, because another process waits for the end. */
const stopPauseMs = 250

/** The failure of a sign-in that was ended before the person was done. */
class StoppedError extends HelperError {
  /** Whether another sign-in begins instead, for which the waiting runs then wait. */
  readonly isReplaced: boolean

  constructor(subject: string, { failure }: Stop) {
    const { kind, message, hint } = failure ?? toReplaced(subject)
    super(kind, message, hint)
    this.isReplaced = failure === undefined
  }
}

function toReplaced(subject: string): HelperError {
  return new HelperError(
    'sign-in-required',
    `another sign-in to ${subject} was begun instead of this one`,
    'finish the other one, in the tab that was opened last',
  )
}

/** Waits without an end. @throws {StoppedError} when a sign-out, or another sign-in, ends this one. */
async function waitForStop(
  { flow, signal }: Pick<WatchedFlow, 'flow' | 'signal'>,
  readStop: () => Promise<Stop | undefined>,
): Promise<never> {
  for (;;) {
    await sleep(stopPauseMs, undefined, { signal })
    const stop = await readStop()
    if (stop) throw new StoppedError(flow.subject, stop)
  }
}
