import { setTimeout as sleep } from 'node:timers/promises'
import type { Deadline } from '../../../runtime/deadline.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { type Host, isProcessAlive } from '../../../runtime/host.ts'
import { digestCaller } from '../../../runtime/program/digest-caller.ts'
import { type DetachingHost, startOrphan } from '../../../runtime/program/start-orphan.ts'
import { attemptLock, checkHeld } from './locks.ts'
import { isEndedAfter, readNote, type SignInFiles, type SignInNote } from './note.ts'
import { openRenewalFiles } from './run-renewal.ts'
import { toRenewalEnvironment } from './to-detached-environment.ts'

/** A renewal that one process makes for all runs that need it. */
export interface AwaitedRenewal<T> {
  /** A text that is equal in all runs that one renewal serves. */
  readonly id: string
  /** The name in messages: `the sign-in to login.example`. */
  readonly subject: string
  /** The issue time of the tokens that this run found too old, in milliseconds since the epoch. */
  readonly issued: number
  /**
   * Finds the renewed result for this run, if there is one.
   * @param last The end of the last renewal: `made` by a process that this run has started, so that its result is final; `failed`, so that
   * the previous result does not suffice; `undefined` if this run knows of no renewal.
   */
  find(last: 'made' | 'failed' | undefined): Promise<T | undefined>
}

/** In seconds: the time that a call keeps for using the remaining tokens, or for its message, after it stops waiting. Our decision. */
export const reserveSec = 0.3

/**
 * Starts a process that renews a sign-in and outlives this run, or joins a process that already does, and waits for the result.
 * @throws {HelperError} `late` at the deadline of this run; or what `find` throws.
 */
export async function waitForRenewal<T>(renewal: AwaitedRenewal<T>, wait: RenewalWait): Promise<RenewalResult<T>> {
  const { host, ownProgram, deadline } = wait
  const { clock } = host
  const files = await openRenewalFiles(renewal.id, { ...ownProgram, home: host.home })
  if (!files) return 'impossible'
  let starts = 0
  let stage: string | undefined
  const describe = () => {
    const name = `the renewal of ${renewal.subject}`
    return stage === undefined ? name : `in ${name}, ${stage}`
  }
  const waiting = deadline.during('network', describe, async ({ signal }) => {
    for (let attempts = 1; ; attempts += 1) {
      if (!(await checkHeld(files.lock))) {
        const result = await findResult(renewal, { files, clock, isMade: starts > 0, caller: toCaller(ownProgram) })
        if (result) return result
        if (starts === maxStarts) return 'impossible'
        const began = await attemptStart(renewal, files, ownProgram)
        if (began === 'impossible') return began
        if (began === 'started') starts += 1
      }
      stage = (await readNote(files))?.stage
      await sleep(computeLookPauseMs(attempts, Math.random()), undefined, { signal })
    }
  })
  return waiting.catch((error: unknown) => {
    throw error instanceof HelperError && error.kind === 'late' ? toLateRenewal(error) : error
  })
}

/** The most processes that a run starts before it renews by itself, because a process may have been killed. */
const maxStarts = 2

/** The parts of a run that waits: its clock, its deadline, and its program, which it starts again to renew. */
interface RenewalWait {
  readonly host: Pick<Host, 'clock' | 'home'>
  readonly ownProgram: DetachingHost
  readonly deadline: Deadline
}

/** The result of waiting. `impossible`: no process can be started, so the run itself has to renew. */
type RenewalResult<T> = { readonly value: T } | { readonly failure: HelperError } | 'impossible'

/**
 * Starts a process that renews a sign-in, unless one already does, without waiting for it: for a run that does not depend on the renewal.
 * @returns whether a process is renewing.
 */
export async function attemptRenewal(
  renewal: Pick<AwaitedRenewal<unknown>, 'id' | 'issued'>,
  { host, ownProgram, deadline }: RenewalWait,
): Promise<boolean> {
  const files = await openRenewalFiles(renewal.id, { ...ownProgram, home: host.home })
  if (!files) return false
  const began = await deadline.during('network', 'starting a renewal', () => attemptStart(renewal, files, ownProgram))
  return began !== 'impossible'
}

/** Finds a result while no process renews. The note has the failure of the last renewal; tokens that were renewed since take precedence. */
async function findResult<T>(
  { find }: AwaitedRenewal<T>,
  { files, clock, isMade, caller }: RenewalWatch,
): Promise<Exclude<RenewalResult<T>, 'impossible'> | undefined> {
  const note = await readNote(files)
  const isNews = note && isEndedAfter(note, clock.startedAt, clock.now())
  const failure = isNews ? findOwnFailure(note, caller) : undefined
  try {
    const value = await find(failure ? 'failed' : isMade ? 'made' : undefined)
    if (value !== undefined) return { value }
  } catch (error) {
    if (!failure) throw error
  }
  return failure && { failure }
}

/**
 * Computes the pause before the next look, in milliseconds. It is random, so that many waiting runs do not look at once, and longer with
 * time, though shorter than that of a lock: a look takes no lock from the renewal.
 * @param random From 0 to 1.
 */
function computeLookPauseMs(attempts: number, random: number): number {
  return 10 + random * Math.min(10 * attempts, 100)
}

interface RenewalWatch {
  readonly files: SignInFiles
  readonly clock: Host['clock']
  readonly isMade: boolean
  readonly caller: string
}

/** Creates the failure of a run that ends while the renewal continues, so that nothing is lost. */
function toLateRenewal(late: HelperError): HelperError {
  const hint = 'try again in a moment: the renewal goes on without this run, and the next run uses its result'
  return new HelperError('late', late.message, hint, { cause: late })
}

/**
 * Finds the failure of the renewal, if it concerns this run: the renewal had the same arguments and settings, so that no run fails because
 * of another run's proxy. A failure that requires a person concerns every run, because the provider has refused the sign-in itself.
 */
function findOwnFailure({ request, ended }: SignInNote, caller: string): HelperError | undefined {
  const failure = ended?.failure
  return request === caller || failure?.kind === 'sign-in-required' ? failure : undefined
}

function toCaller({ argv, env }: DetachingHost): string {
  return digestCaller({ argv, env, variables: [] })
}

/** Starts the process, unless another run does so now or has done so, and waits until it is working. */
async function attemptStart(
  { issued }: Pick<AwaitedRenewal<unknown>, 'issued'>,
  files: SignInFiles,
  ownProgram: DetachingHost,
): Promise<'started' | 'elsewhere' | 'impossible'> {
  const turn = await attemptLock(files.start)
  try {
    if (!turn || (await checkHeld(files.lock))) return 'elsewhere'
    const pid = await startOrphan(
      ownProgram,
      toRenewalEnvironment(ownProgram.env, { issued, caller: toCaller(ownProgram) }),
    )
    if (pid === undefined) return 'impossible'
    await waitUntilAtWork(files, pid)
    return 'started'
  } finally {
    await turn?.release()
  }
}

/** In milliseconds: how long a process may take to begin its work. Our decision. */
const longestStartMs = 10_000
const startPauseMs = 10

async function waitUntilAtWork(files: SignInFiles, pid: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < longestStartMs && isProcessAlive(pid); waitedMs += startPauseMs) {
    if ((await readNote(files))?.pid === pid) return
    await sleep(startPauseMs)
  }
}
