import { detectProviderFamily } from '../../contract/identity-providers/detect-family.ts'
import { type AnswerName, type SetupAnswers, splitList } from './answers.ts'
import { chooseIdentifier } from './plan-folder.ts'
import { isNone } from './setup-question.ts'

/** The answers that nobody has given and that decide who may pass, how people sign in, or a name that stays; a line each, with the option. */
export function renderAssumed(assumed: readonly AnswerName[], answers: SetupAnswers): string {
  const lines = assumed.flatMap((name) => {
    const meaning = describers[name]?.(answers)
    return meaning === undefined ? [] : [[`--${name} ${answers[name] ?? chooseIdentifier(answers) ?? ''}`, meaning]]
  })
  if (lines.length === 0) return ''
  const width = Math.max(...lines.map(([option]) => option!.length))
  const shown = lines.map(([option, meaning]) => `  ${option!.padEnd(width)}  ${meaning}\n`)
  return `Nobody has chosen these; to change one, pass its option:\n${shown.join('')}`
}

/** The meaning of an answer that was a default; `undefined` where it decides nothing. */
const describers: Readonly<Partial<Record<AnswerName, (answers: SetupAnswers) => string | undefined>>> = {
  scopes: (answers) => {
    const { type, why } = detectProviderFamily(answers).gatewayToken
    return isNone(answers.scopes) && type === 'access_token'
      ? `the ID token is sent; with this provider: ${why}`
      : undefined
  },
  'sso-start-url': () => 'no AWS profile is handed out: people have their own',
  allow: ({ allow, issuer }) =>
    issuer === undefined
      ? 'the AWS account whose people may pass the gateway'
      : `${allow === 'everyone' ? 'everyone to whom the provider gives a token for this audience' : 'these people'} may pass the gateway`,
  identifier: (answers) =>
    splitList(answers.systems).includes('macos') && chooseIdentifier(answers) !== undefined
      ? 'the configuration profile of macOS, which another one of this name replaces'
      : undefined,
}
