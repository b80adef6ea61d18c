import { failingStatuses, personStates, type Step } from './scenario.ts'

/** The values that were parsed from the line of a step. */
export interface FormValues {
  readonly windows: readonly number[]
  readonly durations: readonly number[]
  /** The word that was chosen in brackets; empty if the form has none. */
  readonly choice: string
}

/** The form of one step. */
interface StepForm {
  /** DURATION and choices in brackets are placeholders; every other word is literal. */
  readonly form: string
  /** Whether `window N` or `windows N-M` may come before it. */
  readonly takesWindows?: true
  readonly build: (values: FormValues) => Step
}

const [statuses, states] = [failingStatuses.join('|'), personStates.join('|')]

/** Every step that is a line; the parser, its messages and the documentation are derived from this table. */
export const stepForms: readonly StepForm[] = [
  { form: 'start', takesWindows: true, build: ({ windows }) => ({ type: 'start', windows }) },
  { form: 'turn', takesWindows: true, build: ({ windows }) => ({ type: 'turn', windows }) },
  {
    form: 'turn every DURATION for DURATION',
    takesWindows: true,
    build: ({ windows, durations }) => ({ type: 'turn', windows, repeated: repetition(durations) }),
  },
  { form: 'scheduled task', build: () => ({ type: 'scheduled-task' }) },
  {
    form: 'scheduled task every DURATION for DURATION',
    build: ({ durations }) => ({ type: 'scheduled-task', repeated: repetition(durations) }),
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

function repetition([everySec = 0, forSec = 0]: readonly number[]) {
  return { everySec, forSec }
}
