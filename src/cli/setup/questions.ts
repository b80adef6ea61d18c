import { awsQuestions } from './questions/aws.ts'
import { clientQuestions } from './questions/client-and-gateway.ts'
import { identityQuestions } from './questions/identity.ts'
import { optionAnswers, rolloutQuestions } from './questions/rollout.ts'
import { verifierQuestions } from './questions/verifier.ts'
import type { SetupQuestion, SetupSituation } from './situation.ts'
import { describeUnknownWord } from './words.ts'

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
  const words = question.choices && Object.keys(question.choices(situation))
  return (words && describeUnknownWord(answer, words, question.takes)) ?? question.validate?.(answer, situation)
}
