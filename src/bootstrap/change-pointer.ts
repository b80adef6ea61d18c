import { HelperError } from '../runtime/failure.ts'
import type { OpenRelease } from './open-release.ts'
import { isForEverybody, type Pointer } from './release.ts'

/** What a command changes of the state of a folder. */
export type PointerChange = Partial<Pick<Pointer, 'wave' | 'state'>>

/** The same where another release may become the current one. */
export type ChangedPointer = PointerChange & Partial<Pick<Pointer, 'manifest' | 'releases'>>

/** @throws {HelperError} `refused` while a release has not reached everybody: only two can be served at once. */
export function refuseUnfinished({ pointer, current: { manifest } }: OpenRelease): void {
  if (isForEverybody(pointer, manifest)) return
  const state =
    pointer.state === 'halted'
      ? `is halted at wave ${pointer.wave}`
      : `has reached wave ${pointer.wave} of ${manifest.waves.length}`
  throw new HelperError(
    'refused',
    `release ${manifest.counter} ${state}, and only two releases can be served at once`,
    `finish it (gatepass bootstrap promote --wave ${manifest.waves.length}), or take it back (gatepass bootstrap revert)`,
  )
}

/**
 * The state in which a wave more has the current release.
 * @throws {HelperError} `refused` for a wave that has it, and for a halted release unless it is `resumed`; `usage` for a wave that there is not.
 */
export function choosePromotion(
  { pointer, current: { manifest } }: OpenRelease,
  wave: number,
  isResumed: boolean,
): PointerChange {
  const { counter, waves } = manifest
  if (wave < 1 || wave > waves.length)
    throw new HelperError('usage', `release ${counter} has no wave ${wave}`, `pass a number from 1 to ${waves.length}`)
  const isHalted = pointer.state === 'halted'
  if (isHalted && !isResumed)
    throw new HelperError(
      'refused',
      `release ${counter} is halted`,
      'pass --resume to go on with it, or take it back: gatepass bootstrap revert',
    )
  if (wave < pointer.wave || (wave === pointer.wave && !isHalted))
    throw new HelperError(
      'refused',
      `release ${counter} has reached wave ${pointer.wave} already`,
      'who has it keeps it: pass a later wave, or take it back: gatepass bootstrap revert',
    )
  return { wave, state: 'advancing' }
}

/**
 * The state in which nobody gets the current release any more who does not have it.
 * @throws {HelperError} `refused` if everybody has it, or if it is halted.
 */
export function chooseHalt({ pointer, previous, current: { manifest } }: OpenRelease): PointerChange {
  if (pointer.state === 'halted')
    throw new HelperError(
      'refused',
      `release ${manifest.counter} is halted already`,
      'take it back for everybody: gatepass bootstrap revert',
    )
  if (!previous || pointer.wave >= manifest.waves.length)
    throw new HelperError(
      'refused',
      `release ${manifest.counter} has reached everybody`,
      'take it back: gatepass bootstrap revert',
    )
  return { state: 'halted' }
}

/**
 * The digest of the release to go back to.
 * @throws {HelperError} `refused` if there is none.
 */
export function requirePrevious({ current: { manifest } }: OpenRelease): string {
  if (manifest.previous !== undefined) return manifest.previous
  throw new HelperError(
    'refused',
    `there is no release before release ${manifest.counter}`,
    'publish another one: gatepass bootstrap release',
  )
}

/** The pointer after a change; its serial is one higher. */
export function withPointerChange(before: Pointer | undefined, change: ChangedPointer, now: number): Pointer {
  return {
    type: 'bootstrap-pointer',
    format: 1,
    releases: 1,
    manifest: '',
    wave: 0,
    state: 'advancing',
    ...before,
    ...change,
    serial: (before?.serial ?? 0) + 1,
    changedAt: new Date(now).toISOString(),
  }
}
