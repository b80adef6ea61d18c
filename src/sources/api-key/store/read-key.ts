import type { Deadline } from '../../../runtime/deadline.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { ApiKeyOptions } from '../key/options.ts'
import { parseStoredKey, type StoredKey } from '../key/stored-key.ts'
import type { KeyStore } from './key-store.ts'

/**
 * Reads a key, with what is known of its life: what the options say counts before what is kept beside it.
 * @throws {HelperError} `not-configured` where there is none, or no key; or the store's own.
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

/** The end of a key that the options say. */
export function parseExpiryOption({ 'expires-at': text }: Pick<ApiKeyOptions, 'expires-at'>): { expiresAt?: Date } {
  return text === undefined ? {} : { expiresAt: new Date(text) }
}
