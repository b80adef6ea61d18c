import type { Headers } from '../../../contract/headers.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { parseObject } from '../../../runtime/parse-object.ts'
import { parseTokenHeaders, requireTokenText } from '../../token-members.ts'

/** A token as it is stored, and what is stored beside it. */
export interface StoredToken {
  readonly token: string
  readonly headers: Headers | undefined
  /** `undefined` where nothing says when it ends. */
  readonly expiresAt: Date | undefined
}

/** Where a text comes from, and which member of it is the token. */
interface Place {
  /** In words, such as `the secret "ai/key"`. */
  readonly name: string
  readonly jsonKey: string | undefined
}

/**
 * Takes a token out of a stored text: the text itself, without spaces and line breaks around it; the named member of a JSON object;
 * or `token`, `headers` and `expiresAt` of one.
 * @throws {HelperError} `not-configured`; the message repeats nothing of the text.
 */
export function parseStoredToken(text: string, place: Place): StoredToken {
  const { name, jsonKey } = place
  const bare = text.trim().replace(/^\uFEFF/, '')
  const object = bare.startsWith('{') || jsonKey !== undefined ? parseObject(bare) : undefined
  if (jsonKey !== undefined && !object)
    throw refuse(
      `${name} is no JSON object, and json-key names a member of one`,
      'leave json-key out, or store an object',
    )
  if (!object && /^[{[]/.test(bare))
    throw refuse(
      `${name} begins like JSON and is no JSON object`,
      'correct what is stored: an object, or the token alone',
    )
  if (!object) return { token: requireToken(bare, name), headers: undefined, expiresAt: undefined }
  const expiresAt = parseEnd(object.expiresAt, name)
  if (jsonKey !== undefined)
    return {
      token: requireToken(findMember(object, jsonKey), `"${jsonKey}" of ${name}`),
      headers: undefined,
      expiresAt,
    }
  if (!Object.hasOwn(object, 'token'))
    throw refuse(`${name} is a JSON object without "token"`, 'name the member that is the token with json-key')
  return {
    token: requireToken(object.token, `"token" of ${name}`),
    headers: parseTokenHeaders(object.headers, { name, verb: 'store' }),
    expiresAt,
  }
}

function findMember(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

function requireToken(value: unknown, name: string): string {
  if (typeof value !== 'string') throw refuse(`${name} is missing, or no text`, 'correct json-key, or what is stored')
  return requireTokenText(value, { name, verb: 'store' })
}

/** A date with its zone, or seconds since the epoch as in the `exp` of a JWT. */
function parseEnd(value: unknown, name: string): Date | undefined {
  if (value === undefined || value === null) return undefined
  const isDate = typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:?\d\d)$/.test(value)
  const date = new Date(isDate ? value : typeof value === 'number' ? value * 1000 : Number.NaN)
  if (!Number.isNaN(date.getTime())) return date
  throw refuse(
    `"expiresAt" of ${name} is no date`,
    'store a date such as "2026-01-15T12:00:00Z", or seconds since 1970',
  )
}

function refuse(message: string, hint: string): HelperError {
  return new HelperError('not-configured', message, hint)
}
