import { isPlaceholder } from '../../contract/api-keys.ts'
import { limits } from '../../contract/limits.ts'
import { Secret } from '../../runtime/secret.ts'
import { parseMoment } from '../../runtime/values/duration.ts'
import { parseObject } from '../../runtime/values/json-value.ts'
import { vendor } from '../../vendor.ts'

/** The dates of a key, as far as they are known. */
export interface KeyDates {
  readonly createdAt?: Date | undefined
  /** `undefined` if the expiry is not known. */
  readonly expiresAt?: Date | undefined
}

/** A key and its dates. */
export interface StoredKey extends KeyDates {
  readonly key: Secret
}

/**
 * Parses the stored text: either the key alone, with spaces and line breaks around it removed, or a JSON object with `token`, `createdAt`
 * and `expiresAt`.
 */
export function parseStoredKey(text: string): StoredKey | KeyProblem {
  const bare = text.trim()
  if (!bare.startsWith('{')) return parseKey(bare)
  const { token, createdAt, expiresAt } = parseObject(bare) ?? {}
  if (typeof token !== 'string') return { problem: 'begins like JSON, but is not an object with "token"' }
  const found = parseKey(token)
  if ('problem' in found) return found
  const life = { createdAt: parseDate(createdAt), expiresAt: parseDate(expiresAt) }
  if (life.createdAt === null || life.expiresAt === null)
    return { problem: 'has a date that is not valid: write it as "2026-01-15T12:00:00Z"' }
  return { ...found, createdAt: life.createdAt, expiresAt: life.expiresAt }
}

/** The problem with a text, as the end of a sentence whose subject is the location. It repeats nothing of the text. */
interface KeyProblem {
  readonly problem: string
}

/** The problem of a text beyond the limit of every token. */
export const tooLong: KeyProblem = { problem: 'is longer than any key' }

/** Renders the text to store: only the key if no date is known, so that other programs can read it. */
export function renderStoredKey({ key, createdAt, expiresAt }: StoredKey): Secret {
  const token = key.reveal()
  return new Secret(createdAt || expiresAt ? JSON.stringify({ token, createdAt, expiresAt }) : token)
}

function parseKey(text: string): StoredKey | KeyProblem {
  const found = malformations.find(([pattern]) => pattern.test(text))
  if (found) return { problem: found[1] }
  if (isPlaceholder(text)) return { problem: 'is a placeholder, which somebody meant to replace' }
  return text.length > limits.tokenBytes ? tooLong : { key: new Secret(text) }
}

/** Patterns of texts that people copy along with a key, or instead of one. The first match is reported. */
const malformations: readonly (readonly [pattern: RegExp, problem: string])[] = [
  [/^$/, 'is empty'],
  [/[\r\n]/, 'has line breaks in it'],
  [/^["'`\u2018\u2019\u201c\u201d]|["'`\u2018\u2019\u201c\u201d]$/, 'is in quotes'],
  [new RegExp(`^(export\\s+)?([A-Z_][A-Z0-9_]*|${vendor.apiKeyVariable})=.`), 'begins with the name of a variable'],
  // Git appends `store` to a helper's command line, and then sends such a request.
  [/^(protocol|host|path|username|password)=/, 'is a request of Git: have Git start it with --format git'],
  [/^[\w-]+:\s/, 'begins with the name of a header'],
  [/^bearer\s/i, 'begins with "Bearer", which the client adds itself'],
  [/[^\x21-\x7e]/, 'has spaces or characters beyond ASCII in it'],
]

/** Parses a date with its zone; `undefined` if the key has no date, and `null` for any other value. */
function parseDate(value: unknown): Date | undefined | null {
  if (value === undefined || value === null) return undefined
  return parseMoment(value) ?? null
}
