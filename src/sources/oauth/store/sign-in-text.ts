import { parseObject } from '../../../runtime/parse-object.ts'
import { Secret } from '../../../runtime/secret.ts'
import type { IssuedTokens } from '../oidc/tokens.ts'
import type { StoredSignIn } from './sign-in-store.ts'

/** A sign-in with its tokens as text, to be sealed. */
export function renderSignIn({ tokens, ...rest }: StoredSignIn): string {
  const { idToken, accessToken, refreshToken, expiresAt, clockOffsetMs, scope } = tokens
  const texts = {
    idToken: idToken?.reveal(),
    accessToken: accessToken?.reveal(),
    refreshToken: refreshToken?.reveal(),
  }
  return JSON.stringify({ ...rest, tokens: { ...texts, expiresAt: expiresAt?.getTime(), clockOffsetMs, scope } })
}

/** Reads such a text; `undefined` for anything else. */
export function parseSignIn(text: string): StoredSignIn | undefined {
  const { id, since, renewedAt, subject, tokens } = parseObject(text) ?? {}
  const issued = parseTokens(tokens)
  if (typeof id !== 'string' || typeof since !== 'number' || !issued) return undefined
  if (!isOptional(renewedAt, 'number') || !isOptional(subject, 'string')) return undefined
  return { id, since, renewedAt, subject, tokens: issued }
}

function parseTokens(value: unknown): IssuedTokens | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { idToken, accessToken, refreshToken, expiresAt, clockOffsetMs, scope } = value as Record<string, unknown> // an object of whatever shape
  if (!isOptional(idToken, 'string') || !isOptional(accessToken, 'string') || !isOptional(refreshToken, 'string'))
    return undefined
  if (!isOptional(expiresAt, 'number') || !isOptional(clockOffsetMs, 'number')) return undefined
  if (!isOptional(scope, 'string')) return undefined
  const toSecret = (text: string | undefined) => (text === undefined ? undefined : new Secret(text))
  return {
    idToken: toSecret(idToken),
    accessToken: toSecret(accessToken),
    refreshToken: toSecret(refreshToken),
    expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt),
    clockOffsetMs,
    scope,
  }
}

interface Types {
  readonly string: string
  readonly number: number
}

function isOptional<T extends keyof Types>(value: unknown, type: T): value is Types[T] | undefined {
  return value === undefined || typeof value === type
}
