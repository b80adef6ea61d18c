import type { Verdict } from '../verdict.ts'
import type { Verifier } from '../verifier/verifier.ts'
import { findToken } from './find-token.ts'

/**
 * Verifies the one token of a request. Never rejects.
 * @param rawHeaders Names and values in turn, as Node gives them: in its `headers` a second token could be missing.
 * @param tokenHeaders Where the token may be, in lower case.
 */
export async function verifyRequest(
  verifier: Verifier,
  rawHeaders: readonly string[],
  tokenHeaders: readonly string[] = ['authorization'],
): Promise<Verdict> {
  const token = findToken(rawHeaders, tokenHeaders)
  return typeof token === 'string' ? verifier.verify(token) : { outcome: 'refused', refusal: token }
}
