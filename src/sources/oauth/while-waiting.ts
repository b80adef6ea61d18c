import { setTimeout as sleep } from 'node:timers/promises'
import { HelperError } from '../../runtime/failure.ts'
import type { OwnTools } from './create-tools.ts'
import type { SignInFlow } from './flow.ts'
import { isReopeningDue } from './progress/beat.ts'
import type { ShownPrompt } from './progress/note.ts'

/** What is watched while a flow runs. */
export interface Watched {
  readonly flow: SignInFlow
  readonly tools: OwnTools
  readonly holding: { readonly needsNew: boolean; readLastWaiting(): Promise<number> }
  findShown(): ShownPrompt | undefined
  /** Whether the provider's limit has passed. */
  isOver(): boolean
  /** Ends the watch. */
  readonly signal: AbortSignal
}

/** In milliseconds. */
const pauseMs = 1_000

/** In milliseconds. What the flow itself has stored it also brings to its end. */
const graceMs = 2_000

/** Resolves when the store has a sign-in that the flow did not make, such as one of `aws sso login`. */
export async function waitForStore({ flow, holding, signal }: Watched): Promise<void> {
  // A sign-in that was refused looks like any other.
  if (holding.needsNew) return new Promise(() => {})
  do await sleep(pauseMs, undefined, { signal })
  while (!(await flow.isSignedIn()))
  await sleep(graceMs, undefined, { signal })
}

/**
 * Opens the address once more when the person has come back to it. Never resolves.
 * @throws {HelperError} `late` after the provider's limit, which the timer of a deadline misses on a machine that slept.
 */
export async function repeatOpening({ tools, holding, findShown, isOver, signal }: Watched): Promise<never> {
  let waitingBefore = tools.host.clock.now()
  for (;;) {
    await sleep(pauseMs, undefined, { signal })
    if (isOver()) throw new HelperError('late', 'the sign-in took longer than the provider allows', 'start again')
    const lastWaiting = await holding.readLastWaiting()
    const now = tools.host.clock.now()
    const moment = { now, openedAt: findShown()?.openedAt, lastWaiting, waitingBefore }
    if (isReopeningDue(moment)) await tools.openAgain()
    waitingBefore = Math.max(waitingBefore, lastWaiting)
  }
}
