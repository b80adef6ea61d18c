import { HelperError } from '../../../runtime/failure.ts'
import type { Fetch } from '../../../runtime/network/fetch/network-fetch.ts'
import type { JwtTrust } from '../../policy/policy.ts'
import type { KeySet } from '../key-set/key-set.ts'
import { parseKeySet } from '../key-set/parse-key-set.ts'
import { type FetchJson, fetchJson } from './fetch-json.ts'
import { fetchKeysUrl } from './fetch-keys-url.ts'
import { keyBounds } from './key-bounds.ts'

/**
 * Fetches the keys of an issuer from where they are, within {@link keyBounds}.
 * @throws {HelperError} for anything but a good answer; the message is for the operator.
 */
export async function fetchKeySet({ issuer, keys }: JwtTrust, fetch: Fetch): Promise<KeySet> {
  if (keys !== 'discovered' && 'inline' in keys) return requireKeys('the policy', keys.inline)
  const limit = AbortSignal.timeout(keyBounds.answerMs)
  const get: FetchJson = (url) => fetchJson(url, fetch, limit)
  const url = keys === 'discovered' ? await fetchKeysUrl(issuer, get) : new URL(keys.url)
  return requireKeys(url.host, await get(url))
}

function requireKeys(where: string, value: unknown): KeySet {
  const set = parseKeySet(value)
  if ('keys' in set) return set
  throw new HelperError('unavailable', `${where} ${set.problem}`, 'look at the keys that the issuer publishes')
}
