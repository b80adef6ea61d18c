import type { KeyObject } from 'node:crypto'
import type { KeyFinder, KeyLookup } from '../jwt/key-finder.ts'
import { computeThumbprint } from '../jwt/parse-key-set.ts'
import { type Identity, TokenRefusal } from '../verdict.ts'
import type { Revocation } from './revocation.ts'
import type { RevocationList } from './revocation-list.ts'

/** A file, or a Redis, from which entries come. */
export interface RevocationSource {
  /** The words by which messages and metrics name the source. */
  readonly name: string
  readonly list: Pick<RevocationList, 'find' | 'findNew' | 'hasKey' | 'version' | 'keysVersion' | 'size'>
  /** Why it is not known now what is refused; the entries that were known before count all the same. */
  problem(): string | undefined
  /**
   * Adds entries for every reader of the source. They count here at once.
   * @throws {HelperError} if they could not be written.
   */
  add(revocations: readonly Revocation[]): Promise<void>
  close(): void
}

/** The tokens that are refused although they are good. */
export interface Revocations {
  /** Why an identity is refused; `undefined` if it is not. It asks nobody. */
  findRefusal(identity: Identity): TokenRefusal | undefined
  /** Another number after a change of the keys that are refused, which voids decisions about tokens. */
  keysVersion(): number
  hasKey(issuer: string, kid: string | undefined, key: KeyObject): boolean
  states(): readonly RevocationState[]
}

/** A source, for metrics and the log. */
export interface RevocationState {
  readonly source: string
  readonly entries: number
  readonly problem: string | undefined
}

/** The fate of tokens while it is not known which are refused. */
export type UnknownRevocations = 'refuse' | 'pass'

/** Joins sources: what one of them refuses is refused. */
export function createRevocations(sources: readonly RevocationSource[], whileUnknown: UnknownRevocations): Revocations {
  const countVersions = () => sources.reduce((sum, { list }) => sum + list.version, 0)
  /** The version at which an identity was looked for and not found; entries only stop counting by time, so that it stays true. */
  const passed = new WeakMap<Identity, number>()
  return {
    findRefusal(identity) {
      const problem = whileUnknown === 'refuse' ? findProblem(sources) : undefined
      const version = countVersions()
      if (problem === undefined && passed.get(identity) === version) return undefined
      const found = sources.flatMap(({ list }) => list.find(identity) ?? [])[0]
      if (found) return new TokenRefusal('revoked', { note: `its ${found.kind} is revoked` })
      if (problem !== undefined) return new TokenRefusal('revocations-unavailable', { note: problem })
      passed.set(identity, version)
      return undefined
    },
    keysVersion: () => sources.reduce((sum, { list }) => sum + list.keysVersion, 0),
    hasKey: (issuer, kid, key) => sources.some(({ list }) => list.hasKey(issuer, [kid, computeThumbprint(key)])),
    states: () =>
      sources.map((source) => ({ source: source.name, entries: source.list.size, problem: source.problem() })),
  }
}

function findProblem(sources: readonly RevocationSource[]): string | undefined {
  for (const source of sources) {
    const problem = source.problem()
    if (problem !== undefined) return problem
  }
  return undefined
}

/** A finder that does not find keys that are refused. */
export function withoutRevokedKeys(keys: KeyFinder, { hasKey }: Pick<Revocations, 'hasKey'>): KeyFinder {
  return {
    ...keys,
    find(trust, header) {
      const rejectRevoked = (lookup: KeyLookup): KeyLookup =>
        lookup.outcome === 'found' && hasKey(trust.issuer, lookup.key.kid, lookup.key.key) ? revoked : lookup
      const found = keys.find(trust, header)
      return found instanceof Promise ? found.then(rejectRevoked) : rejectRevoked(found)
    },
  }
}

const revoked: KeyLookup = { outcome: 'revoked', says: 'the key that signed it is revoked' }
