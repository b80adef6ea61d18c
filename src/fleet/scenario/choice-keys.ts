import { renewEarlyPercent } from '../../contract/freshness.ts'
import { limits } from '../../contract/limits.ts'
import type { FleetChoice, FleetSettings } from '../fleet-settings.ts'
import { type Invalid, isInvalid, parseBounded, rejectValue } from './parse-mapping.ts'
import { parseSeconds } from './parse-times.ts'

/** The settings of a choice: the name in files and on command lines, the setting, and its permitted values. */
export const choiceKeys = {
  ttlSec: { sets: 'ttlSec', parse: parseSeconds },
  timeoutSec: { sets: 'timeoutSec', parse: (text) => parseBounded(text, 1, limits.timeoutSec) },
  renewEarly: { sets: 'renewEarly', parse: (text) => parseBounded(text, 0, renewEarlyPercent.most) },
  tokenLife: { sets: 'tokenLifeSec', parse: parseSeconds },
} as const satisfies Readonly<
  Record<string, { readonly sets: keyof ComparedChoice; readonly parse: (text: string) => number | Invalid }>
>

/** Converts the values of a choice from their names to settings. */
export function toChoice(values: Readonly<Partial<Record<ChoiceKey, number>>>): Partial<ComparedChoice> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [choiceKeys[key as ChoiceKey].sets, value]))
}

type ChoiceKey = keyof typeof choiceKeys

/** Parses a choice on one line, such as `ttlSec=900 renewEarly=50`. */
export function parseChoice(text: string): Partial<ComparedChoice> | Invalid {
  const values: Partial<Record<ChoiceKey, number>> = {}
  for (const pair of text.trim().split(/[\s,]+/)) {
    const [, key = '', value = ''] = /^(\w+)=(\S+)$/.exec(pair) ?? []
    if (!Object.hasOwn(choiceKeys, key))
      return rejectValue(
        `${JSON.stringify(pair)} is not one of ${Object.keys(choiceKeys).join(', ')}, with a value as in ttlSec=900`,
      )
    if (Object.hasOwn(values, key)) return rejectValue(`${key} is there twice`)
    const number = choiceKeys[key as ChoiceKey].parse(value)
    if (isInvalid(number)) return rejectValue(`${key}: ${number.problem}`)
    values[key as ChoiceKey] = number
  }
  return toChoice(values)
}

/** The scenario of a fleet's day; the number of desktops is not part of it. */
export interface FleetScenario {
  readonly summary: string
  readonly day: Omit<FleetSettings, 'desktops' | 'seed'>
  /** The choices to compare. A value that the first lacks is the default; a value that the second lacks is the first's. */
  readonly choices: readonly Partial<ComparedChoice>[]
}

/** The settings that an administrator chooses, in the document, on the machine and at the identity provider. */
export interface ComparedChoice extends FleetChoice {
  readonly tokenLifeSec: number
}
