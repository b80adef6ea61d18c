import { setTimeout as sleep } from 'node:timers/promises'
import { Deadline } from '../../runtime/deadline.ts'
import { HelperError, toHelperError } from '../../runtime/failure.ts'
import { findProcessId } from '../../runtime/host.ts'
import { createTools } from './create-tools.ts'
import type { SignInFlow } from './flow.ts'
import { createListeners, type Listeners } from './listener/create-listeners.ts'
import type { SignInParts } from './parts.ts'
import type { ShownPrompt, SignInNote } from './progress/note.ts'
import { repeatOpening, type Watched, waitForStore } from './while-waiting.ts'

/** What is around the process that signs in. */
export interface Holding {
  /** Tells the runs that wait. What it throws before anything is shown ends the sign-in. */
  record(note: SignInNote): Promise<void>
  /** Shows a prompt to the person before this very process. */
  tell(prompt: ShownPrompt): void
  /** When a run last waited, in milliseconds since the epoch. */
  readLastWaiting(): Promise<number>
  /** Lets the next sign-in begin. */
  release(): Promise<void>
  /** Whether the stored sign-in was refused, so that only a new one counts. */
  readonly needsNew: boolean
  /** `provider`: it may take as long as the provider lets it; `run`: it ends with the run that needs it. */
  readonly limit: 'provider' | 'run'
  /** In milliseconds, how long the last page can be seen again. */
  readonly pagesMs: number
}

/**
 * Runs a flow to its end, and records each step for the runs that wait.
 * @returns when the person was signed in, in milliseconds since the epoch.
 * @throws {HelperError} how it ended otherwise.
 */
export async function runFlow(flow: SignInFlow, given: SignInParts, holding: Holding): Promise<number> {
  const { clock } = given.host
  const parts = holding.limit === 'run' ? given : { ...given, call: withOwnDeadline(flow, given) }
  const listeners = createListeners(flow.subject)
  let note: SignInNote = { pid: findProcessId(), since: clock.now() }
  let recorded: Promise<unknown> = Promise.resolve()
  const record = async (change: Partial<SignInNote>) => {
    note = { ...note, ...change }
    // One after the other, so that nothing is written once the lock is released.
    const turn = recorded.then(() => holding.record(note))
    recorded = turn.catch(() => undefined)
    await turn
  }
  // The deadline counts by a clock that stops while the machine sleeps.
  const isOver = () =>
    holding.limit === 'provider' && (parts.call.deadline.isOver() || clock.now() - note.since > flow.limitSec * 1000)
  const end = async (failure?: HelperError) => {
    const at = clock.now()
    // A note that cannot be written now costs the others a look into the store.
    await record({ ended: { at, failure } }).catch(() => undefined)
    await holding.release()
    await listeners.finish(failure ?? 'signed-in')
    return at
  }
  try {
    await record({})
    const tools = await createTools(parts, listeners, async (shown) => {
      if (note.ended) return // the note may be the next sign-in's by now
      await record({ shown })
      holding.tell(shown)
    })
    await waitForEnd(flow, tools, { holding, isOver, findShown: () => note.shown })
    return await end()
  } catch (error) {
    const failure = isOver() ? await toEnd(toHelperError(error), flow, listeners) : toHelperError(error)
    await end(failure)
    throw failure
  } finally {
    if (listeners.hasPages()) await sleep(holding.pagesMs)
    await listeners.close()
  }
}

/** It counts from here, however long the process has been running. */
function withOwnDeadline({ limitSec }: SignInFlow, { host: { clock }, call }: SignInParts): SignInParts['call'] {
  const seconds = Math.ceil(clock.elapsedMs() / 1000) + limitSec
  return { ...call, deadline: new Deadline({ seconds, hint: 'start again' }, clock) }
}

/** Until the flow has ended, or somebody has signed in elsewhere. */
async function waitForEnd(
  flow: SignInFlow,
  tools: Awaited<ReturnType<typeof createTools>>,
  around: Pick<Watched, 'findShown' | 'isOver'> & { readonly holding: Holding },
): Promise<void> {
  const ended = new AbortController()
  const watches = { flow, tools, ...around, signal: ended.signal }
  await tools.call.deadline
    .during('sign-in', `the sign-in to ${flow.subject}`, () =>
      Promise.race([flow.run(tools), waitForStore(watches), repeatOpening(watches), tools.failure]),
    )
    .finally(() => ended.abort())
}

/** At the provider's limit. An answer that was turned away says more than its absence. */
async function toEnd(failure: HelperError, flow: SignInFlow, listeners: Listeners): Promise<HelperError> {
  if (failure.kind !== 'late') return failure
  const foreign = listeners.findForeignHost()
  const hint = foreign === undefined ? await flow.findUnfinishedHint?.() : describeForeignHost(foreign)
  const minutes = Math.round(flow.limitSec / 60)
  return new HelperError(
    'sign-in-required',
    `nobody finished the sign-in to ${flow.subject} within ${minutes === 1 ? 'a minute' : `${minutes} minutes`}`,
    hint ?? 'start again, which begins a new one',
    { cause: failure },
  )
}

function describeForeignHost(host: string): string {
  const from = host === '' ? 'an unknown address' : host
  return `if people sign in at ${from}, from where the browser came back, add it to additionalRedirectReferrerHosts`
}
