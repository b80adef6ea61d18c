import { parseObject } from '../../parse-object.ts'
import type { CallOutcome } from '../call-outcome.ts'
import type { OutcomeBatch } from '../destination.ts'
import { renderOutcome } from '../outcome-line.ts'
import { parseOutcome } from '../parse-outcome.ts'
import { longestSpool, renderLoss } from '../spool.ts'

/** What lines say; one that cannot be read, such as one that a full disk cut off, is a lost outcome. */
export function toBatch(lines: readonly string[], resource: OutcomeBatch['resource']): OutcomeBatch {
  const outcomes: CallOutcome[] = []
  let lost = 0
  // A line is one flat object: where another begins within it, it follows one that was cut off.
  for (const record of lines.flatMap((line) => line.split(/(?<=.)(?=\{)/))) {
    const outcome = parseOutcome(record)
    if (outcome) outcomes.push(outcome)
    else lost += parseLoss(record) ?? 1
  }
  return { outcomes, lost, resource }
}

/** The latest outcomes of a batch as the text of a file that holds no more than a spool; the others are counted as lost. */
export function renderKept({ outcomes, lost }: Pick<OutcomeBatch, 'outcomes' | 'lost'>): string {
  const lines: string[] = []
  let size = 0
  for (const outcome of outcomes.toReversed()) {
    const line = `${renderOutcome(outcome)}\n`
    size += line.length
    if (size > longestSpool) break
    lines.unshift(line)
  }
  const all = lost + outcomes.length - lines.length
  return `${all === 0 ? '' : `${renderLoss(all)}\n`}${lines.join('')}`
}

function parseLoss(line: string): number | undefined {
  const { lost } = parseObject(line) ?? {}
  return Number.isSafeInteger(lost) && (lost as number) > 0 ? (lost as number) : undefined
}
