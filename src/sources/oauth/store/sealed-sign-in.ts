// Encrypts and decrypts the text of a sign-in's file; `sealed-file.ts` has the form of the file.

import type { KeyObject } from 'node:crypto'
import { Secret } from '../../../runtime/secret.ts'
import { isObject, parseObject } from '../../../runtime/values/json-value.ts'
import { createSealed, decodeSealed } from '../../keychain/seal.ts'
import type { IssuedTokens } from '../oidc/provider.ts'
import { parseSealedFile, renderHeader, sealedFormat } from './sealed-file.ts'
import type { KeyName } from './sealed-location.ts'
import type { RefusedToken, StoredSignIn } from './sign-in-store.ts'

/** Renders the text of an encrypted file. @param purpose See `StoreFiles`. */
export function renderSealedSignIn(
  signIn: StoredSignIn,
  purpose: string,
  key: { readonly value: KeyObject; readonly name: KeyName },
): string {
  const header = renderHeader({ id: signIn.id, keyName: key.name, isChallenged: signIn.challenge !== undefined })
  return `${header}\n${createSealed(renderSignIn(signIn), key.value, `${purpose}\n${header}`)}\n`
}

/**
 * Decrypts the text of a file. Both lines are authenticated.
 * @returns the sign-in, or the problem with the file, as the end of a sentence about it.
 */
export function parseSealedSignIn(
  text: string,
  purpose: string,
  key: { readonly value: KeyObject | undefined; readonly where: string },
): StoredSignIn | { readonly problem: string } {
  const file = parseSealedFile(text)
  if (!file) return { problem: 'is damaged' }
  if (file.format !== sealedFormat) return { problem: 'is of another version of this program' }
  if (!key.value) return { problem: `cannot be opened, because its key ${key.where} is missing or damaged` }
  const opened = decodeSealed(file.body, key.value, `${purpose}\n${file.header}`)
  if (opened === undefined) return { problem: `is damaged, or does not belong to its key ${key.where}` }
  return parseSignIn(opened) ?? { problem: 'is damaged' }
}

/** Renders a sign-in with its tokens, as the plain text to encrypt. */
function renderSignIn({ tokens, ...facts }: StoredSignIn): string {
  const { idToken, accessToken, refreshToken, expiresAt, clockOffsetMs, scope } = tokens
  const texts = {
    idToken: idToken?.reveal(),
    accessToken: accessToken?.reveal(),
    refreshToken: refreshToken?.reveal(),
  }
  return JSON.stringify({ ...facts, tokens: { ...texts, expiresAt: expiresAt?.getTime(), clockOffsetMs, scope } })
}

/** Parses the plain text of a sign-in; `undefined` for anything else. */
function parseSignIn(text: string): StoredSignIn | undefined {
  const { id, since, renewedAt, subject, tokens, challenge, refused } = parseObject(text) ?? {}
  const issued = parseTokens(tokens)
  if (typeof id !== 'string' || typeof since !== 'number' || !issued) return undefined
  if (!isOptional(renewedAt, 'number') || !isOptional(subject, 'string')) return undefined
  return { id, since, renewedAt, subject, tokens: issued, ...parseChallenge(challenge), refused: parseRefused(refused) }
}

function parseTokens(value: unknown): IssuedTokens | undefined {
  if (!isObject(value)) return undefined
  const { idToken, accessToken, refreshToken, expiresAt, clockOffsetMs, scope } = value
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

function parseChallenge(value: unknown): Pick<StoredSignIn, 'challenge'> {
  if (!isObject(value)) return {}
  const { acrValues, maxAge } = value
  return isOptional(acrValues, 'string') && isOptional(maxAge, 'number') ? { challenge: { acrValues, maxAge } } : {}
}

function parseRefused(value: unknown): RefusedToken | undefined {
  if (!isObject(value)) return undefined
  const { digest, at, heldSec } = value
  if (typeof digest !== 'string' || typeof at !== 'number' || !isOptional(heldSec, 'number')) return undefined
  return { digest, at, heldSec }
}

function isOptional<T extends keyof Types>(value: unknown, type: T): value is Types[T] | undefined {
  return value === undefined || typeof value === type
}
