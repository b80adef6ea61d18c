import { HelperError } from '../../runtime/failure.ts'
import { isText, parseObject } from '../../runtime/values/json-value.ts'

/** The location of the identity token in an answer, and the hint if it is missing. */
export interface AnswerFormat {
  /** The service or program that answered, for messages. */
  readonly name: string
  /** The member of a JSON object that is the token; `undefined` if the whole text is the token. */
  readonly field: string | undefined
  /** The hint for an answer without a token, imperative. */
  readonly hint: string
}

/**
 * Parses the identity token in an answer.
 * @throws {HelperError} `refused` that names the field, or `not-configured` for JSON if no field is set. The message does not repeat the
 * answer.
 */
export function parseIdentityAnswer(text: string, { name, field, hint }: AnswerFormat): string {
  const bare = text.trim()
  if (field !== undefined) {
    const value = parseObject(bare)?.[field]
    if (isText(value)) return value
    throw new HelperError('refused', `${name} answered without a JSON object that has a string "${field}"`, hint)
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
