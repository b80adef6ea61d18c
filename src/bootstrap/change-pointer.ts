// Chooses the next state of a release folder, or refuses a step; `publish-release.ts` writes it.

import { HelperError } from '../runtime/failure.ts'
import { quoteForHint } from '../runtime/text/quote.ts'
import { programName } from '../version.ts'
import type { OpenRelease } from './open-release.ts'
import { isForEverybody, type Pointer } from './release.ts'

/** The change that a command makes to the state of a folder. */
export type PointerChange = Partial<Pick<Pointer, 'wave' | 'state'>>

/** A change that may also make another release the current one. */
export type ChangedPointer = PointerChange & Partial<Pick<Pointer, 'manifest' | 'releases'>>

/**
 * Refuses another release before the current one is finished.
 * @param directory The release folder, for the commands in a hint.
 * @throws {HelperError} `refused` while a release has not reached everybody, because a folder can serve only two releases.
 */
export function refuseUnfinished({ pointer, current: { manifest } }: OpenRelease, directory: string): void {
  if (isForEverybody(pointer, manifest)) return
  const isHalted = pointer.state === 'halted'
  const state = isHalted
    ? `is halted at wave ${pointer.wave}`
    : `has reached wave ${pointer.wave} of ${manifest.waves.length}`
  throw new HelperError(
    'refused',
    `release ${manifest.counter} ${state}, and only two releases can be served at once`,
    `finish it: ${programName} bootstrap promote ${quoteForHint(directory)} --wave ${manifest.waves.length}${isHalted ? ' --resume' : ''} --signing-key FILE; or take it back: ${renderRevert(directory)}`,
  )
}

/** The wave to promote a release to, and the release folder for the commands in a hint. */
interface Promotion {
  readonly wave: number
  readonly isResumed: boolean
  readonly directory: string
}

/**
 * Chooses the state in which one more wave gets the current release.
 * @throws {HelperError} `refused` for a wave that already has it, and for a halted release unless it is `resumed`; `usage` for a wave that
 * does not exist.
 */
export function choosePromotion(
  { pointer, current: { manifest } }: OpenRelease,
  { wave, isResumed, directory }: Promotion,
): PointerChange {
  const { counter, waves } = manifest
  if (wave < 1 || wave > waves.length)
    throw new HelperError('usage', `release ${counter} has no wave ${wave}`, `pass a number from 1 to ${waves.length}`)
  const isHalted = pointer.state === 'halted'
  if (isHalted && !isResumed)
    throw new HelperError(
      'refused',
      `release ${counter} is halted`,
      `pass --resume to go on with it, or take it back: ${renderRevert(directory)}`,
    )
  if (wave < pointer.wave || (wave === pointer.wave && !isHalted))
    throw new HelperError(
      'refused',
      `release ${counter} has reached wave ${pointer.wave} already`,
      `pass a later wave, or take it back: ${renderRevert(directory)}`,
    )
  return { wave, state: 'advancing' }
}

/**
 * Chooses the state in which nobody else gets the current release.
 * @throws {HelperError} `refused` if everybody has it, or if it is halted.
 */
export function chooseHalt(
  { pointer, previous, current: { manifest } }: OpenRelease,
  directory: string,
): PointerChange {
  if (pointer.state === 'halted')
    throw new HelperError(
      'refused',
      `release ${manifest.counter} is halted already`,
      `take it back for everybody: ${renderRevert(directory)}`,
    )
  if (!previous)
    throw new HelperError(
      'refused',
      `release ${manifest.counter} has reached everybody`,
      `take it back: ${renderRevert(directory)}`,
    )
  return { state: 'halted' }
}

/**
 * Returns the digest of the release before the current one.
 * @throws {HelperError} `refused` if there is none.
 */
export function requirePrevious({ current: { manifest } }: OpenRelease, directory: string): string {
  if (manifest.previous !== undefined) return manifest.previous
  throw new HelperError(
    'refused',
    `there is no release before release ${manifest.counter}`,
    `publish another one: ${renderPublish(directory)}`,
  )
}

function renderRevert(directory: string): string {
  return `${programName} bootstrap revert ${quoteForHint(directory)} --signing-key FILE`
}

/** Renders the command that publishes to a release folder. */
export function renderPublish(directory: string): string {
  return `${programName} bootstrap release DIR --to ${quoteForHint(directory)} --signing-key FILE`
}

/** Returns the pointer after a change, with the next serial. */
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
