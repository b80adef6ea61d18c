// Claims the port of a sign-in, and records when runs last waited for the sign-in.

import { lutimes, open } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { readLinkStatus } from '../../../runtime/disk.ts'
import { HelperError } from '../../../runtime/failure.ts'
import {
  digestRequest,
  locateByKey,
  locateSignInFiles,
  type PortClaimant,
  type SignInFiles,
  type SignInNote,
  writeNote,
} from './note.ts'
import { readStop, type Stop, stopSignIn } from './stop.ts'

/** A port that only one sign-in uses at a time. */
export interface PortClaim {
  /** Reads the order to end the sign-in that uses the port, if there is one. */
  readStop(): Promise<Stop | undefined>
  release(): Promise<void>
}

/**
 * Claims the port of the redirect URI, if the registration has a fixed one. A sign-in to the same provider for which nobody waits any more
 * is ended: after its client or scope was corrected, it would otherwise keep the port until the provider's limit. A person's own command
 * also ends a sign-in for which somebody waits.
 * @returns `undefined` if another sign-in keeps the port, or if that is not known; opening the port then shows it.
 */
export async function openPortClaim(
  port: number,
  { files, own, subject, isWatched }: ClaimingRun,
  now: () => number,
): Promise<PortClaim | undefined> {
  const { directory, key } = files
  const claimFiles = locateSignInFiles(directory, String(port), 'port')
  const request = digestRequest(subject)
  const isNeeded = async (claim: PortClaimant) => claim.isWatched || isAwaited(locateByKey(directory, claim.key), now)
  const isMeant = async ({ request: other, claim }: SignInNote) =>
    other === request && claim !== undefined && (isWatched || !(await isNeeded(claim)))
  try {
    const lock = await stopSignIn(claimFiles, { failure: toPortTaken(port, subject) }, isMeant)
    if (!lock) return undefined
    // If the disk is full, no other process can end this sign-in.
    await writeNote(claimFiles, { ...own, request, claim: { key, isWatched } }).catch(() => undefined)
    return { readStop: () => readStop(claimFiles, own), release: () => lock.release() }
  } catch {
    return undefined
  }
}

/** The sign-in that claims a port. */
interface ClaimingRun {
  readonly files: SignInFiles
  readonly own: Pick<SignInNote, 'pid' | 'since'>
  /** The service that the person signs in to, in messages. */
  readonly subject: string
  /** See `PortClaimant`. */
  readonly isWatched: boolean
}

/** In milliseconds: the time without a record after which nobody waits. Waiting runs record themselves several times a second. */
const unawaitedAfterMs = 3_000
const pauseMs = 100

/** Returns whether runs still wait for a sign-in. A run with a recent record may have ended since. */
async function isAwaited(files: SignInFiles, now: () => number): Promise<boolean> {
  const last = await readLastWaiting(files)
  while (now() - last < unawaitedAfterMs) {
    if ((await readLastWaiting(files)) > last) return true
    await sleep(pauseMs)
  }
  return false
}

function toPortTaken(port: number, subject: string): HelperError {
  return new HelperError(
    'sign-in-required',
    `the sign-in to ${subject} was ended, because another one needs port ${port} of this machine`,
    'start again when that is done',
  )
}

/** Records that a run waits. An error is ignored, because it can only cause that no browser is opened a second time. */
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

/** Reads when a run last waited, in milliseconds since the epoch; 0 if none has. */
export async function readLastWaiting({ waiting }: SignInFiles): Promise<number> {
  try {
    return (await readLinkStatus(waiting)).mtimeMs
  } catch {
    return 0 // a record that cannot be read counts as none
  }
}

/** In milliseconds: the time without a record after which nobody was waiting. Waiting runs record themselves every second. */
const returnedAfterMs = 10_000

/** In milliseconds: how long a person is assumed to still see a tab. Our decision. */
const tabMs = 120_000

/**
 * Returns whether to open the same address again. A closed tab cannot be detected, but if a run begins to wait after a time without waiting
 * runs, minutes after the tab was opened, the person has come back and looks for the tab. If no browser could be started, somebody may have
 * installed one since.
 */
export function isReopeningDue(moment: {
  readonly now: number
  readonly openedAt: number | undefined
  /** Whether no browser could be started. */
  readonly isUnopened: boolean
  readonly lastWaiting: number
  readonly waitingBefore: number
}): boolean {
  const { now, openedAt, isUnopened, lastWaiting, waitingBefore } = moment
  const isTabOld = openedAt !== undefined && now - openedAt >= tabMs
  return (isUnopened || isTabOld) && lastWaiting - waitingBefore >= returnedAfterMs
}
