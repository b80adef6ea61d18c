import { limits } from '../../../contract/limits.ts'
import { renewEarlyPercent } from '../../../contract/timing/freshness.ts'
import type { ComparedChoice } from './fleet-scenario.ts'
import { type Invalid, isInvalid, rejectValue } from './invalid.ts'
import { parseBounded } from './parse-mapping.ts'
import { parseSeconds } from './parse-moment.ts'

/** What can be chosen: the name that files and command lines have for it, what it sets, and which values it takes. */
export const choiceKeys = {
  ttlSec: { sets: 'ttlSec', parse: parseSeconds },
  timeoutSec: { sets: 'timeoutSec', parse: (text) => parseBounded(text, 1, limits.timeoutSec) },
  renewEarly: { sets: 'renewEarly', parse: (text) => parseBounded(text, 0, renewEarlyPercent.most) },
  tokenLife: { sets: 'tokenLifeSec', parse: parseSeconds },
} as const satisfies Readonly<
  Record<string, { readonly sets: keyof ComparedChoice; readonly parse: (text: string) => number | Invalid }>
>

type ChoiceKey = keyof typeof choiceKeys

/** The values of a choice by what they set. */
export function toChoice(values: Readonly<Partial<Record<ChoiceKey, number>>>): Partial<ComparedChoice> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [choiceKeys[key as ChoiceKey].sets, value]))
}

/** Parses a choice on one line, such as `ttlSec=900 renewEarly=50`. */
export function parseChoice(text: string): Partial<ComparedChoice> | Invalid {
  const values: Partial<Record<ChoiceKey, number>> = {}
  for (const pair of text.trim().split(/[\s,]+/)) {
    const [, key = '', value = ''] = /^(\w+)=(\S+)$/.exec(pair) ?? []
    if (!Object.hasOwn(choiceKeys, key))
      return rejectValue(
        `${JSON.stringify(pair)} is none of ${Object.keys(choiceKeys).join(', ')}, with a value as in ttlSec=900`,
      )
    if (Object.hasOwn(values, key)) return rejectValue(`${key} is there twice`)
    const number = choiceKeys[key as ChoiceKey].parse(value)
    if (isInvalid(number)) return rejectValue(`${key}: ${number.problem}`)
    values[key as ChoiceKey] = number
  }
  return toChoice(values)
}
