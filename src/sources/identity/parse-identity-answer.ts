import { HelperError } from '../../runtime/failure.ts'

export interface AnswerForm {
  /** Who answered, for messages. */
  readonly who: string
  /** The member of a JSON object that is the token; without one the token is the whole text. */
  readonly field: string | undefined
  readonly way: string
}

/**
 * Takes the identity token out of an answer.
 * @throws {HelperError} `refused`, naming the field and never what was there instead.
 */
export function parseIdentityAnswer(text: string, { who, field, way }: AnswerForm): string {
  const bare = text.trim().replace(/^\uFEFF/, '')
  if (field !== undefined) {
    const value = parseObject(bare)?.[field]
    if (typeof value === 'string' && value !== '') return value
    throw new HelperError('refused', `${who} answered without a JSON object that has a text "${field}"`, way)
  }
  if (bare.startsWith('{'))
    throw new HelperError(
      'not-configured',
      `${who} answered with JSON, and nothing says which member is the identity token`,
      'name the member with --identity-field',
    )
  if (bare !== '') return bare
  throw new HelperError('refused', `${who} answered with nothing`, way)
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined // the parser's message would repeat what may be a token
  }
}
