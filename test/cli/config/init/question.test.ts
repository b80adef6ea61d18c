import { expect, test } from 'vitest'
import { type Question, resolveAnswer } from '../../../../src/cli/config/init/question.ts'
import { HelperError } from '../../../../src/runtime/failure.ts'
import { createTestCli } from '../../run-here.ts'

interface Places {
  readonly given?: string
  /** The person's answers, after which the input ends; absent where nobody can answer. */
  readonly answers?: readonly string[]
  readonly fallback?: Question['fallback']
}

/** Returns the answer from these places, or its failure, with every question and complaint that the person sees. */
async function resolve({ given, answers, fallback }: Places) {
  const { cli, written } = await createTestCli([])
  const rest = [...(answers ?? [])]
  const ask = async (question: string) => {
    cli.terminal.tell(`${question}\n`)
    return rest.shift()
  }
  const conversation = answers && { ask, [Symbol.dispose]: () => {} }
  const validate = (answer: string) => (answer === 'wrong' ? 'it is wrong' : undefined)
  const question = { flag: '--name', words: 'Which name', validate, ...(fallback && { fallback }) }
  const answer = await resolveAnswer({ command: 'config init', cli, conversation }, question, given).catch(
    (error: unknown) => error,
  )
  return { answer, said: written.stderr }
}

const fallback = { value: 'fallback', words: 'the usual one' }
const asked = 'Which name? [the usual one] \n'
const missing = new HelperError('usage', '--name is missing', 'pass --name; see: gatepass config init --help')

// Each place counts before those of the rows below it.
test.each<[what: string, places: Places, answer: string | HelperError, said: string]>([
  ['the flag', { given: 'flag', answers: ['person'], fallback }, 'flag', ''],
  ['the flag where nobody can answer', { given: 'flag', fallback }, 'flag', ''],
  ['a person', { answers: ['person', 'another'], fallback }, 'person', asked],
  [
    'a person, after a wrong answer',
    { answers: ['wrong', 'person'], fallback },
    'person',
    `${asked}  it is wrong\n${asked}`,
  ],
  ['the fallback, after an empty answer', { answers: ['', 'person'], fallback }, 'fallback', asked],
  ['the fallback, after the end of the input', { answers: [], fallback }, 'fallback', asked],
  ['the fallback where nobody can answer', { fallback }, 'fallback', ''],
  [
    'a person who gave an empty answer, where there is no fallback',
    { answers: ['', 'person'] },
    'person',
    'Which name? \n  an answer is needed\nWhich name? \n',
  ],
  ['nothing', {}, missing, ''],
])('the answer comes from %s', async (_, places, answer, said) => {
  expect(await resolve(places)).toEqual({ answer, said })
})
