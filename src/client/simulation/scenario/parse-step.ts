import { parseDuration } from '../../duration.ts'
import type { Step } from './scenario.ts'
import { type FormValues, stepForms } from './step-forms.ts'

/** The only step that is a mapping instead of a line: its values follow it. */
export const changesForm = 'document changes'

/** Parses the line of one step; a text if it is invalid. */
export function parseStep(text: string): Step | string {
  const { windows, rest } = splitWindows(text.trim().replace(/\s+/g, ' '))
  if (typeof windows === 'string') return windows
  const words = rest.split(' ')
  const readings = stepForms.map((form) => ({ form, read: matchForm(form.form.split(' '), words) }))
  const match = readings.find(({ read }) => typeof read === 'object')
  if (!match || typeof match.read !== 'object')
    return readings.find(({ read }) => read)?.read?.toString() ?? describeUnknownStep(rest)
  if (windows && !match.form.takesWindows)
    return `"${match.form.form}" does not belong to a window: leave out the windows`
  return match.form.build({ windows: windows ?? [1], ...match.read })
}

function describeUnknownStep(rest: string): string {
  const similar = stepForms.filter(({ form }) => form.split(' ')[0] === rest.split(' ')[0])
  const known = (similar.length > 0 ? similar : stepForms).map(({ form }) => `"${form}"`)
  return `${JSON.stringify(rest)} is not a step; ${similar.length > 0 ? 'did you mean' : 'steps are'} ${known.join(', ')}`
}

type Placeholders = Pick<FormValues, 'durations' | 'choice'>

/** The values of a form's placeholders; a text if the words match but a value is invalid; `undefined` for another form. */
function matchForm(form: readonly string[], words: readonly string[]): Placeholders | string | undefined {
  if (form.length !== words.length) return undefined
  const durations: number[] = []
  let choice = ''
  let problem: string | undefined
  for (const [index, expected] of form.entries()) {
    const word = words[index] ?? ''
    if (expected === 'DURATION') {
      const seconds = parseDuration(word)
      if (seconds === undefined) problem ??= `${JSON.stringify(word)} is not a duration; write 30s, 5m, 8h, 1h30m or 2d`
      else durations.push(seconds)
    } else if (expected.startsWith('[')) {
      const choices = expected.slice(1, -1).split('|')
      if (!choices.includes(word)) problem ??= `${JSON.stringify(word)} is not one of ${choices.join(', ')}`
      choice = word
    } else if (expected !== word) return undefined
  }
  return problem ?? { durations, choice }
}

/** More windows than a person has. Without a limit a typing error could start a thousand processes. */
const maxWindows = 50

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
