import { HelperError } from '../../../runtime/failure.ts'
import type { Cli } from '../../cli.ts'
import type { Conversation } from '../../terminal.ts'

/** The person who is asked, and what checks the answers. */
export interface Interview {
  readonly cli: Cli
  /** `undefined` where nobody can answer. */
  readonly conversation: Conversation | undefined
}

/** One thing that a new document is made of. */
export interface Question {
  /** The flag that answers it. */
  readonly flag: string
  /** What is asked, without the question mark. */
  readonly words: string
  /** What no answer means, and how that is shown; without it, an answer is needed. */
  readonly fallback?: { readonly value: string; readonly words: string }
  /** What is wrong with an answer; `undefined` for a good one. */
  readonly findProblem?: (answer: string) => Promise<string | undefined> | string | undefined
}

/**
 * The answer to a question: the one that a flag gives, else a person's, who is asked again after a wrong one; where
 * nobody can answer, the fallback.
 * @throws {HelperError} `usage` that names the flag, where there is none of them.
 */
export async function resolveAnswer(interview: Interview, question: Question, given?: string): Promise<string> {
  if (given !== undefined) return given
  const { conversation } = interview
  for (;;) {
    const shown = question.fallback ? ` [${question.fallback.words}]` : ''
    const answer = await conversation?.ask(`${question.words}?${shown} `)
    if (answer === undefined) return question.fallback?.value ?? rejectMissing(question)
    const problem = await findProblem(question, answer)
    if (problem === undefined) return answer || (question.fallback?.value ?? '')
    interview.cli.terminal.tell(`  ${problem}\n`)
  }
}

async function findProblem({ fallback, findProblem }: Question, answer: string): Promise<string | undefined> {
  if (answer === '') return fallback ? undefined : 'an answer is needed'
  return findProblem?.(answer)
}

function rejectMissing({ flag }: Question): never {
  throw new HelperError('usage', `${flag} is missing`, `pass ${flag}; see: gatepass config init --help`)
}
