import { daySec } from '../fleet-result.ts'
import type { PlayedChoice } from './played-choice.ts'

/** What to know of a day that began with tokens of another one; `undefined` where all that lasts ends within a day. */
export function findSecondDayNote(played: readonly PlayedChoice[]): string | undefined {
  const isLong = played.some(({ choice }) => Math.max(choice.ttlSec, choice.tokenLifeSec) > daySec)
  if (!isLong) return undefined
  return 'This is the second day: what lasts longer than 24 h was minted on the first.'
}
