import { setImmediate } from 'node:timers/promises'
import { HelperError } from '../../../src/runtime/failure.ts'
import type { KeySet } from '../../../src/verify/jwt/key-finder.ts'
import { createKeyRing } from '../../../src/verify/jwt/key-ring.ts'
import { parseKeySet } from '../../../src/verify/jwt/parse-key-set.ts'
import type { TestKey } from './issuer.ts'

/** Creates an issuer on the far side of a key ring, whose answers and whose clock a test moves. */
export function createPlayedIssuer(keys: readonly TestKey[]) {
  const issuer = {
    now: Date.UTC(2026, 0),
    answer: keys as readonly TestKey[] | 'away' | 'silent',
    /** The number of requests that it has got. */
    asked: 0,
    /** Ends every request that is kept waiting. */
    speak: () => {},
  }
  const silence = () =>
    new Promise<void>((resolve) => {
      const before = issuer.speak
      issuer.speak = () => {
        before()
        resolve()
      }
    })
  const load = async (): Promise<KeySet> => {
    issuer.asked += 1
    await setImmediate() // no answer comes at once
    if (issuer.answer === 'silent') await silence()
    if (issuer.answer === 'away' || issuer.answer === 'silent')
      throw new HelperError('unavailable', 'id.example is away', 'wait')
    return parseKeySet({ keys: issuer.answer.map(({ jwk }) => jwk) }) as KeySet // good keys only
  }
  const ring = createKeyRing({ issuer: 'https://id.example', load, now: () => issuer.now })
  /** Finds the outcome of a search for the key of a token that this key signed. */
  const find = async ({ kid, alg }: Pick<TestKey, 'kid' | 'alg'>) => (await ring.find({ kid, alg })).outcome
  return { issuer, ring, find }
}
