import { HelperError } from '../../runtime/failure.ts'
import { parseObject } from '../../runtime/parse-object.ts'

/** Where the identity token is in an answer, and what to say where it is not. */
export interface AnswerFormat {
  /** The service or program that answered, for messages. */
  readonly name: string
  /** The member of a JSON object that is the token; `undefined` where the whole text is the token. */
  readonly field: string | undefined
  /** What to do about an answer without a token, imperative. */
  readonly hint: string
}

/**
 * Takes the identity token out of an answer.
 * @throws {HelperError} `refused` that names the field, or `not-configured` for JSON where no field is named. Neither repeats
 * the answer.
 */
export function parseIdentityAnswer(text: string, { name, field, hint }: AnswerFormat): string {
  const bare = text.trim().replace(/^\uFEFF/, '')
  if (field !== undefined) {
    const value = parseObject(bare)?.[field]
    if (typeof value === 'string' && value !== '') return value
    throw new HelperError('refused', `${name} answered without a JSON object that has a text "${field}"`, hint)
  }
  if (bare.startsWith('{'))
    throw new HelperError(
      'not-configured',
      `${name} answered with JSON, and no setting says which member is the identity token`,
      'name the member with --identity-field',
    )
  if (bare !== '') return bare
  throw new HelperError('refused', `${name} answered with nothing`, hint)
}
