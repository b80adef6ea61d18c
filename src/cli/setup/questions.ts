import { toOneLine } from '../../runtime/failure.ts'
import { splitList } from './answers.ts'
import { awsQuestions } from './questions/aws.ts'
import { clientQuestions } from './questions/client-and-gateway.ts'
import { identityQuestions } from './questions/identity.ts'
import { optionAnswers, rolloutQuestions } from './questions/rollout.ts'
import { verifierQuestions } from './questions/verifier.ts'
import type { SetupQuestion, SetupSituation } from './situation.ts'

/** Every question, in the order in which they are asked. */
export const questions: readonly SetupQuestion[] = [
  ...clientQuestions,
  ...identityQuestions,
  ...awsQuestions,
  ...rolloutQuestions,
  ...verifierQuestions,
  ...optionAnswers,
]

/** What is wrong with an answer; `undefined` for a good one. */
export async function validateAnswer(
  question: SetupQuestion,
  answer: string,
  situation: SetupSituation,
): Promise<string | undefined> {
  if (answer === '') return 'an answer is needed'
  const words = question.choices && Object.keys(question.choices(situation))
  const unknown = words && (question.takes ? splitList(answer) : [answer]).find((word) => !words.includes(word))
  if (unknown !== undefined) return toOneLine(`there is no ${JSON.stringify(unknown)}; expected ${words?.join(', ')}`)
  return question.validate?.(answer, situation)
}
