import type { Cli } from '../cli.ts'
import type { AnswerName, SetupAnswers } from './answers.ts'
import { clientQuestions } from './questions/client-and-gateway.ts'
import { awsQuestions, identityQuestions } from './questions/identity.ts'
import { optionAnswers, rolloutQuestions } from './questions/rollout.ts'
import { verifierQuestions } from './questions/verifier.ts'
import {
  type AnsweredSetup,
  describeUnknownWord,
  later,
  type SetupQuestion,
  type SetupSituation,
} from './setup-question.ts'

/** Every question, in order. */
export const questions: readonly SetupQuestion[] = [
  ...clientQuestions,
  ...identityQuestions,
  ...awsQuestions,
  ...rolloutQuestions,
  ...verifierQuestions,
  ...optionAnswers,
]

/** Returns the problem of a normalized answer; `undefined` for a valid one. */
export async function validateAnswer(
  question: SetupQuestion,
  answer: string,
  situation: SetupSituation,
): Promise<string | undefined> {
  if (answer === '') return 'an answer is needed'
  if (question.names?.includes(answer)) return undefined
  if (answer === later.value) return 'it cannot be left for later; Ctrl-C keeps the answers so far'
  const words = question.choices && Object.keys(question.choices(situation))
  const problem = await question.validate?.(answer, situation)
  return problem ?? (words && describeUnknownWord(answer, words, question.takes))
}

/**
 * Explains why the answer to a question does not apply here, and the way out: it names the one other answer to change, and its possible
 * choices.
 */
export function explainUnused(
  { name, applies }: SetupQuestion,
  situation: SetupSituation,
): { readonly words: string; readonly hint: string } {
  const { answers } = situation
  const isUsedWith = (cause: AnswerName, choice: string) =>
    applies?.({ ...situation, answers: { ...answers, [cause]: choice } }) ?? true
  const causes = questions.flatMap(({ name: cause, choices = () => ({}) }) => {
    const goesWith = Object.keys(choices(situation)).filter((choice) => isUsedWith(cause, choice))
    return answers[cause] === undefined || goesWith.length === 0 ? [] : [{ cause, goesWith }]
  })
  const { cause, goesWith } = causes[0] ?? { cause: 'identity' as const, goesWith: [] }
  const others = goesWith.length === 0 ? '' : `; it goes with --${cause} ${goesWith.join(', ')}`
  return { words: `does not go with --${cause} ${answers[cause]}`, hint: `remove --${name}${others}` }
}

/** Lists the postponed answers without which the folder is incomplete. */
export function listPostponed({ cli, answers }: AnsweredSetup): SetupQuestion[] {
  const situation = { cli, answers, isUntrusted: false }
  return questions.filter(
    ({ name, missingUntil, applies, isAsked }) =>
      missingUntil && answers[name] === undefined && (applies?.(situation) ?? true) && (isAsked?.(situation) ?? true),
  )
}

/** Returns the answers with placeholders for postponed ones, for pages and for checks of other answers. */
export function withPlaceholders(cli: Cli, answers: SetupAnswers): SetupAnswers {
  const open = listPostponed({ cli, answers }).map(({ name }) => [name, name.toUpperCase()])
  return { ...answers, ...Object.fromEntries(open) }
}
