import type { Cli } from '../cli.ts'
import type { SetupAnswers } from './answers.ts'
import { describeUnknownWord } from './match-answer.ts'
import { awsQuestions } from './questions/aws.ts'
import { clientQuestions } from './questions/client-and-gateway.ts'
import { identityQuestions } from './questions/identity.ts'
import { optionAnswers, rolloutQuestions } from './questions/rollout.ts'
import { verifierQuestions } from './questions/verifier.ts'
import { type AnsweredSetup, later, type SetupQuestion, type SetupSituation } from './setup-question.ts'

/** Every question, in the order in which they are asked. */
export const questions: readonly SetupQuestion[] = [
  ...clientQuestions,
  ...identityQuestions,
  ...awsQuestions,
  ...rolloutQuestions,
  ...verifierQuestions,
  ...optionAnswers,
]

/** What is wrong with a normalized answer; `undefined` for a good one. */
export async function validateAnswer(
  question: SetupQuestion,
  answer: string,
  situation: SetupSituation,
): Promise<string | undefined> {
  if (answer === '') return 'an answer is needed'
  if (question.names?.includes(answer)) return undefined
  if (answer === later.value) return 'it cannot be left for later; Ctrl-C keeps the answers so far'
  const words = question.choices && Object.keys(question.choices(situation))
  return (words && describeUnknownWord(answer, words, question.takes)) ?? question.validate?.(answer, situation)
}

/** The answers that were left for later, and without which the folder is not complete. */
export function listPostponed({ cli, answers }: AnsweredSetup): SetupQuestion[] {
  const situation = { cli, answers, isUntrusted: false }
  return questions.filter(
    ({ name, missingUntil, applies, isAsked }) =>
      missingUntil && answers[name] === undefined && (applies?.(situation) ?? true) && (isAsked?.(situation) ?? true),
  )
}

/** The answers with words in place of those that were left for later, for what is read by people and by checks of other answers. */
export function withPlaceholders(cli: Cli, answers: SetupAnswers): SetupAnswers {
  const open = listPostponed({ cli, answers }).map(({ name }) => [name, name.toUpperCase()])
  return { ...answers, ...Object.fromEntries(open) }
}
