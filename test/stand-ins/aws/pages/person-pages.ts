import { type AwsOperation, AwsRefusal } from '../aws-operation.ts'
import { type PageAnswer, renderForm, renderPage, renderRedirect } from './page-answer.ts'

/** The questions to a person in the browser. Both give the address to which the browser goes on, each time that they are chosen. */
interface Question {
  text: string
  allow(): string
  deny(): string
}

/** The pages on which a person answers, with a second factor where a test wants one. */
export interface PersonPages {
  operations: AwsOperation[]
  ask(question: Question): PageAnswer
  requireSecondFactor(): void
}

export function createPersonPages(): PersonPages {
  const questions: Question[] = []
  let needsSecondFactor = false

  const find = (form: Record<string, string>): Question => {
    const question = questions[Number(form.question)]
    if (!question) throw new AwsRefusal('UnknownQuestion', 404, 'nobody was asked that')
    return question
  }
  const form = (path: `/${string}`, answer: (form: Record<string, string>) => PageAnswer): AwsOperation => ({
    name: `POST ${path}`,
    protocol: 'page',
    accepts: ({ method, url }) => method === 'POST' && url.pathname === path,
    parameters: ({ body }) => Object.fromEntries(new URLSearchParams(body)),
    answer: (_, parameters) => answer(parameters),
  })

  return {
    ask: (question) => {
      const id = String(questions.push(question) - 1)
      return renderPage(question.text, renderForm(decisionPath, { question: id }, ['allow', 'deny']))
    },
    requireSecondFactor: () => {
      needsSecondFactor = true
    },
    operations: [
      form(decisionPath, (parameters) => {
        const question = find(parameters)
        if (parameters.choice !== 'allow') return renderRedirect(question.deny())
        if (!needsSecondFactor) return renderRedirect(question.allow())
        const fields = { question: parameters.question ?? '' }
        return renderPage('Second factor', renderForm(secondFactorPath, fields, ['confirm']))
      }),
      form(secondFactorPath, (parameters) => renderRedirect(find(parameters).allow())),
    ],
  }
}

const decisionPath = '/sign-in/decision'
const secondFactorPath = '/sign-in/second-factor'
