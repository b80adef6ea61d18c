import type { KeyHeader } from '../key-set/key-set.ts'
import type { KeySelection } from '../key-set/select-key.ts'
import type { IssuerState, KeyLookup } from './key-finder.ts'

/** What a missing key means: only an issuer that answers can say that it has none. */
export function describeMissingKey(
  selection: Exclude<KeySelection, { outcome: 'found' }>,
  { kid, alg }: KeyHeader,
  { standing, failure }: Pick<IssuerState, 'standing' | 'failure'>,
): KeyLookup {
  if (selection.outcome === 'several')
    return {
      outcome: 'unknown',
      says: `the issuer has ${selection.count} keys for ${alg} ${kid === undefined ? 'and the token does not say which (kid)' : 'of this kid'}`,
    }
  if (failure || standing === 'none')
    return { outcome: 'unavailable', says: failure?.says ?? 'the issuer has given no keys yet' }
  return { outcome: 'unknown', says: `the issuer has no key for ${alg}${kid === undefined ? '' : ' of this kid'}` }
}
