import type { Deadline } from '../../runtime/deadline.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Secret } from '../../runtime/secret.ts'
import type { ApiKeyOptions } from './api-key-options.ts'
import { parseStoredKey, type StoredKey } from './stored-key.ts'

/** A store of one key: a file, the keychain or a variable. */
export interface KeyStore {
  /** The location, for messages, such as `the file /run/key`. */
  readonly where: string
  /** The hint for a missing or unusable key, imperative. */
  readonly hint: string
  /** The stored text; `undefined` if there is none. @throws {HelperError} if it cannot be read, or is not safe there. */
  read(deadline: Deadline): Promise<Secret | undefined>
  /** Throws if no key can be stored, before a person is asked for one. @throws {HelperError} */
  prepare(deadline: Deadline): Promise<void>
  /** Replaces the stored text. @throws {HelperError} */
  write(text: Secret, deadline: Deadline): Promise<void>
  /** Removes the stored text. @returns whether there was one. @throws {HelperError} */
  remove(deadline: Deadline): Promise<boolean>
}

/**
 * Reads a key and its dates. The options take precedence over the dates stored beside the key.
 * @throws {HelperError} `not-configured` for a missing key; or the store's own failure.
 */
export async function readKey(
  store: KeyStore,
  options: Pick<ApiKeyOptions, 'expires-at'>,
  deadline: Deadline,
): Promise<StoredKey> {
  const text = await store.read(deadline)
  if (!text) throw new HelperError('not-configured', `there is no key in ${store.where}`, store.hint)
  const stored = parseStoredKey(text.reveal())
  if ('problem' in stored)
    throw new HelperError('not-configured', `the key in ${store.where} ${stored.problem}`, store.hint)
  return { ...stored, ...parseExpiryOption(options) }
}

/** Parses the expiry of a key in the options, which is a date if it is set. */
export function parseExpiryOption({ 'expires-at': text }: Pick<ApiKeyOptions, 'expires-at'>): { expiresAt?: Date } {
  return text === undefined ? {} : { expiresAt: new Date(text) }
}
