// Folder: `npm run endurance`: a verifier under load for a given time, while its files, keys, Redis and processes change and fail.

import { setTimeout as sleep } from 'node:timers/promises'
import { parseOptions } from '../parse-options.ts'
import { tellFailures } from '../tell-failures.ts'
import { runDisturbances } from './disturbances.ts'
import { type AnswerTally, sendRequests } from './requests.ts'
import { openStage } from './stage.ts'

/** The values of options that are not given. */
const usual = { minutes: '60', rate: '200' } as const

tellFailures('endurance')
const { values } = parseOptions({
  command: 'npm run endurance --',
  summary: 'checks each answer and the memory of a verifier while its policy, keys, Redis and processes change and die',
  options: {
    minutes: {
      type: 'string',
      value: 'NUMBER',
      default: usual.minutes,
      summary: `how long it lasts, ${usual.minutes} if absent`,
    },
    rate: {
      type: 'string',
      value: 'NUMBER',
      default: usual.rate,
      summary: `requests a second, ${usual.rate} if absent`,
    },
  },
})
/** The resident memory of one process, in MiB, above which the run fails. */
const boundMiB = 200

const wrong = Object.entries(values).find(([, value]) => !/^[1-9]\d{0,4}$/.test(value))
if (wrong) {
  console.error(`endurance: --${wrong[0]}: expected a whole number from 1 to 99999`)
  process.exitCode = 2
} else await runEndurance(Number(values.minutes), Number(values.rate))

async function runEndurance(minutes: number, rate: number): Promise<void> {
  await using stage = await openStage()
  const until = Date.now() + minutes * 60_000
  const isOver = () => Date.now() >= until
  const disturbances = runDisturbances(stage, isOver)
  const memory = observeMemory(stage.measureMiB, isOver)
  const { answers, excused, wrong } = await sendRequests(stage, { rate, isOver })
  const [counts, { highest, last }] = await Promise.all([disturbances, memory])
  const total = Object.values(answers).reduce((sum, count) => sum + count, 0)
  console.log(`${total} requests in ${minutes} minutes: ${countAll(wrong)} wrong answers, ${countAll(excused)} excused`)
  for (const [answer, count] of Object.entries(answers).toSorted()) console.log(`  ${answer}: ${count}`)
  console.log(
    `disturbances: ${Object.entries(counts)
      .map(([what, count]) => `${count} ${what}`)
      .join(', ')}`,
  )
  console.log(`memory of one process: at most ${highest} MiB, ${last} MiB at the end`)
  for (const line of renderTally(excused)) console.log(`excused: ${line}`)
  for (const line of renderTally(wrong)) console.log(`wrong: ${line}`)
  if (wrong.size > 0 || highest > boundMiB) process.exitCode = 1
}

async function observeMemory(measure: () => Promise<number>, isOver: () => boolean) {
  let [highest, last] = [0, 0]
  while (!isOver()) {
    last = await measure()
    highest = Math.max(highest, last)
    await sleep(2_000)
  }
  return { highest, last }
}

function countAll(tally: AnswerTally): number {
  return [...tally.values()].reduce((sum, { count }) => sum + count, 0)
}

/** Renders one line for each kind of answer, the most frequent first. */
function renderTally(tally: AnswerTally): string[] {
  const renderTime = (at: number) => new Date(at).toISOString().slice(11, 23)
  return [...tally]
    .toSorted(([, one], [, other]) => other.count - one.count)
    .map(([words, { count, firstAt, lastAt, longestMs }]) => {
      const times = count === 1 ? `at ${renderTime(firstAt)}` : `from ${renderTime(firstAt)} to ${renderTime(lastAt)}`
      return `${count} x ${words} (${times}, the slowest after ${longestMs} ms)`
    })
}
