import { parseDuration } from '../../duration.ts'
import type { Step } from './scenario.ts'
import { forms, type Words } from './scenario-forms.ts'

/** The step that is not one line of words: its values follow it. */
export const changesForm = 'document changes'

/** Reads one line of words; a text says what is wrong with it. */
export function parseStep(text: string): Step | string {
  const { windows, rest } = splitWindows(text.trim().replace(/\s+/g, ' '))
  if (typeof windows === 'string') return windows
  const words = rest.split(' ')
  const readings = forms.map((form) => ({ form, read: matchForm(form.form.split(' '), words) }))
  const match = readings.find(({ read }) => typeof read === 'object')
  if (!match || typeof match.read !== 'object')
    return readings.find(({ read }) => read)?.read?.toString() ?? unknown(rest)
  if (windows && !match.form.takesWindows) return `"${match.form.form}" happens in no window: leave out the windows`
  return match.form.build({ windows: windows ?? [1], ...match.read })
}

function unknown(rest: string): string {
  const near = forms.filter(({ form }) => form.split(' ')[0] === rest.split(' ')[0])
  const known = (near.length > 0 ? near : forms).map(({ form }) => `"${form}"`)
  return `${JSON.stringify(rest)} is no step; ${near.length > 0 ? 'did you mean' : 'steps are'} ${known.join(', ')}`
}

type Places = Pick<Words, 'durations' | 'choice'>

/** The places of a form; a text where the words are those of the form but a place holds something else. */
function matchForm(form: readonly string[], words: readonly string[]): Places | string | undefined {
  if (form.length !== words.length) return undefined
  const durations: number[] = []
  let choice = ''
  let problem: string | undefined
  for (const [index, expected] of form.entries()) {
    const word = words[index] ?? ''
    if (expected === 'DURATION') {
      const seconds = parseDuration(word)
      if (seconds === undefined) problem ??= `${JSON.stringify(word)} is no duration; write 30s, 5m, 8h, 1h30m or 2d`
      else durations.push(seconds)
    } else if (expected.startsWith('[')) {
      const choices = expected.slice(1, -1).split('|')
      if (!choices.includes(word)) problem ??= `${JSON.stringify(word)} is none of ${choices.join(', ')}`
      choice = word
    } else if (expected !== word) return undefined
  }
  return problem ?? { durations, choice }
}

/** More windows than a person has, so that a typing error is no thousand processes. */
const mostWindows = 50

function splitWindows(text: string): { windows: readonly number[] | string | undefined; rest: string } {
  const match = /^windows? (\d+)(?:-(\d+))? (.+)$/.exec(text)
  if (!match) return { windows: undefined, rest: text }
  const [first, last] = [Number(match[1]), Number(match[2] ?? match[1])]
  const isRange = first >= 1 && last >= first && last <= mostWindows
  const windows = isRange
    ? Array.from({ length: last - first + 1 }, (_, index) => first + index)
    : `windows are numbered from 1 to ${mostWindows}, the lower number first`
  return { windows, rest: match[3] ?? '' }
}
