import type { Fetch } from '../../../runtime/network/fetch/network-fetch.ts'
import type { JwtTrust } from '../../policy/policy.ts'
import { fetchKeySet } from './fetch-key-set.ts'
import type { KeyFinder } from './key-finder.ts'
import { createKeyRing, type KeyRing } from './key-ring.ts'

/** What {@link createIssuerKeys} needs of the world. */
interface IssuerKeysParts {
  /** Follows no redirect, such as that of `createStreamFetch`. */
  readonly fetch: Fetch
  /** Epoch milliseconds. */
  readonly now: () => number
}

/** Creates a finder of keys, one for as many issuers as a policy trusts. */
export function createIssuerKeys({ fetch, now }: IssuerKeysParts): KeyFinder {
  const rings = new Map<string, KeyRing>()
  const ringOf = (trust: JwtTrust) => {
    const id = toId(trust)
    const ring = rings.get(id) ?? createKeyRing({ issuer: trust.issuer, load: () => fetchKeySet(trust, fetch), now })
    rings.set(id, ring)
    return ring
  }
  return {
    find: (trust, header) => ringOf(trust).find(header),
    renew: (trust) => ringOf(trust).renew(),
    async prepare(trusts) {
      const ids = new Set(trusts.map(toId))
      for (const id of rings.keys()) if (!ids.has(id)) rings.delete(id)
      await Promise.all(trusts.map((trust) => ringOf(trust).prepare()))
    },
    states: () => [...rings.values()].map((ring) => ring.state()),
  }
}

const ids = new WeakMap<JwtTrust, string>()

/** Equal for trusts with the same keys, so that those outlive a change of the policy. */
function toId(trust: JwtTrust): string {
  const id = ids.get(trust) ?? JSON.stringify([trust.issuer, trust.keys])
  ids.set(trust, id)
  return id
}
