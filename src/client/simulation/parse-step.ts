// The language of a scenario: one step and its possible forms.

import { describeInvalidDuration, parseDuration } from '../../runtime/values/duration.ts'
import { failingStatuses, personStates, type Step, serverStatuses } from './scenario.ts'

/** The only step that is a mapping instead of a line: its values follow it. */
export const changesForm = 'document changes'

/** Parses the line of one step; returns the problem as text if it is invalid. */
export function parseStep(text: string): Step | string {
  const { windows, rest } = splitWindows(text.trim().replace(/\s+/g, ' '))
  if (typeof windows === 'string') return windows
  const words = rest.split(' ')
  const readings = stepForms.map((form) => ({ form, read: matchForm(form.form.split(' '), words) }))
  const match = readings.find(({ read }) => typeof read === 'object')
  if (!match || typeof match.read !== 'object')
    return readings.find(({ read }) => read)?.read?.toString() ?? describeUnknownStep(rest)
  if (windows && !match.form.takesWindows) return `"${match.form.form}" does not belong to a window: remove the windows`
  return match.form.build({ windows: windows ?? [1], ...match.read })
}

function splitWindows(text: string): { windows: readonly number[] | string | undefined; rest: string } {
  const match = /^windows? (\d+)(?:-(\d+))? (.+)$/.exec(text)
  if (!match) return { windows: undefined, rest: text }
  const [first, last] = [Number(match[1]), Number(match[2] ?? match[1])]
  const isRange = first >= 1 && last >= first && last <= maxWindows
  const windows = isRange
    ? Array.from({ length: last - first + 1 }, (_, index) => first + index)
    : `windows are numbered from 1 to ${maxWindows}, the lower number first`
  return { windows, rest: match[3] ?? '' }
}

/** The values that were parsed from the line of a step. */
interface FormValues {
  readonly windows: readonly number[]
  readonly durations: readonly number[]
  /** The chosen word of the brackets; empty if the form has none. */
  readonly choice: string
}

interface StepForm {
  /** DURATION and choices in brackets are placeholders; every other word is literal. */
  readonly form: string
  /** Whether `window N` or `windows N-M` may precede it. */
  readonly takesWindows?: true
  readonly build: (values: FormValues) => Step
}

const [statuses, states] = [failingStatuses.join('|'), personStates.join('|')]

/** Every step that is a line; the parser, its messages and the documentation are derived from this table. */
const stepForms: readonly StepForm[] = [
  { form: 'start', takesWindows: true, build: ({ windows }) => ({ type: 'start', windows }) },
  { form: 'turn', takesWindows: true, build: ({ windows }) => ({ type: 'turn', windows }) },
  {
    form: 'turn every DURATION for DURATION',
    takesWindows: true,
    build: ({ windows, durations }) => ({ type: 'turn', windows, repeated: toRepetition(durations) }),
  },
  { form: 'scheduled task', build: () => ({ type: 'scheduled-task' }) },
  {
    form: 'scheduled task every DURATION for DURATION',
    build: ({ durations }) => ({ type: 'scheduled-task', repeated: toRepetition(durations) }),
  },
  { form: 'wait DURATION', build: ({ durations }) => ({ type: 'wait', forSec: durations[0]! }) },
  { form: 'sleep DURATION', build: ({ durations }) => ({ type: 'sleep', forSec: durations[0]! }) },
  { form: 'relaunch', build: () => ({ type: 'relaunch' }) },
  { form: 'revoke', build: () => ({ type: 'revoke' }) },
  { form: 'revoke sign-in', build: () => ({ type: 'revoke-sign-in' }) },
  { form: 'probe', build: () => ({ type: 'probe' }) },
  { form: 'setup test', build: () => ({ type: 'setup-test' }) },
  {
    form: 'network down DURATION',
    build: ({ durations }) => ({ type: 'effect', effect: { of: 'network' }, forSec: durations[0]! }),
  },
  {
    form: 'provider down DURATION',
    build: ({ durations }) => ({ type: 'effect', effect: { of: 'provider' }, forSec: durations[0]! }),
  },
  {
    form: 'bootstrap down DURATION',
    build: ({ durations }) => ({ type: 'effect', effect: { of: 'server' }, forSec: durations[0]! }),
  },
  {
    form: `bootstrap answers [${serverStatuses.join('|')}] for DURATION`,
    build: ({ durations, choice }) => ({
      type: 'effect',
      effect: { of: 'server', status: serverStatuses.find((status) => String(status) === choice)! },
      forSec: durations[0]!,
    }),
  },
  {
    form: `gateway answers [${statuses}] for DURATION`,
    build: ({ durations, choice }) => ({
      type: 'effect',
      effect: { of: 'gateway', status: failingStatuses.find((status) => String(status) === choice)! },
      forSec: durations[0]!,
    }),
  },
  {
    form: 'stream silent DURATION for DURATION',
    build: ({ durations }) => ({
      type: 'effect',
      effect: { of: 'stream', silentSec: durations[0]! },
      forSec: durations[1]!,
    }),
  },
  {
    form: 'helper takes DURATION for DURATION',
    build: ({ durations }) => ({
      type: 'effect',
      effect: { of: 'helper', takesSec: durations[0]! },
      forSec: durations[1]!,
    }),
  },
  {
    form: `person [${states}]`,
    build: ({ choice }) => ({ type: 'person', is: personStates.find((state) => state === choice)! }),
  },
]

/**
 * Finds the values of a form's placeholders; returns the problem as text if a value is invalid, `undefined` if the words have another form.
 */
function matchForm(form: readonly string[], words: readonly string[]): Placeholders | string | undefined {
  if (form.length !== words.length) return undefined
  const durations: number[] = []
  let choice = ''
  let problem: string | undefined
  for (const [index, expected] of form.entries()) {
    const word = words[index] ?? ''
    if (expected === 'DURATION') {
      const seconds = parseDuration(word)
      if (seconds === undefined) problem ??= describeInvalidDuration(word)
      else durations.push(seconds)
    } else if (expected.startsWith('[')) {
      const choices = expected.slice(1, -1).split('|')
      if (!choices.includes(word)) problem ??= `${JSON.stringify(word)} is not one of ${choices.join(', ')}`
      choice = word
    } else if (expected !== word) return undefined
  }
  return problem ?? { durations, choice }
}

/** More windows than a person has. Without a limit, a typing error could start a thousand processes. */
const maxWindows = 50

function describeUnknownStep(rest: string): string {
  const similar = stepForms.filter(({ form }) => form.split(' ')[0] === rest.split(' ')[0])
  const known = (similar.length > 0 ? similar : stepForms).map(({ form }) => `"${form}"`)
  return `${JSON.stringify(rest)} is not a step; ${similar.length > 0 ? 'did you mean' : 'steps are'} ${known.join(', ')}`
}

type Placeholders = Pick<FormValues, 'durations' | 'choice'>

function toRepetition([everySec = 0, forSec = 0]: readonly number[]) {
  return { everySec, forSec }
}
