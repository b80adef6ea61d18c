import type { Outcome, Part } from '../../client/examination.ts'
import type { Observation } from '../../helper/diagnosis.ts'
import type { RepeatedCall } from './attempt.ts'

const marks: Readonly<Record<Observation['status'], string>> = { good: '✓', note: '!', bad: '✗', unknown: '?' }

/** What a helper says of the identity that it uses, below the settings that lead to it, as one part; none where it says nothing. */
export function describeIdentity(repeated: Pick<RepeatedCall, 'diagnosis' | 'settings'> | undefined): Part[] {
  const observations = repeated?.diagnosis.identity ?? []
  if (!repeated || observations.length === 0) return []
  const steps = observations.flatMap(({ status, text, details = [] }) => [
    `${marks[status]} ${text}`,
    ...details.map((detail) => `  ${detail}`),
  ])
  const lines = [...repeated.settings, ...steps]
  const first = (status: Observation['status']) => observations.find((observation) => observation.status === status)
  const hint = (first('bad') ?? first('note'))?.hint
  return [{ part: 'identity', outcome: toOutcome(observations), lines, ...(hint !== undefined && { hint }) }]
}

function toOutcome(observations: readonly Observation[]): Outcome {
  const has = (...statuses: Observation['status'][]) => observations.some(({ status }) => statuses.includes(status))
  if (has('bad')) return 'bad'
  return has('note', 'unknown') ? 'note' : 'good'
}
