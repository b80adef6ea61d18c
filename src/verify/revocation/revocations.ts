import type { KeyObject } from 'node:crypto'
import { computeThumbprint, type KeyFinder, type KeyLookup } from '../jwt/key-finder.ts'
import { type Identity, TokenRefusal } from '../verdict.ts'
import type { Revocation } from './revocation.ts'
import type { RevocationList } from './revocation-list.ts'

/** A source of entries: a file, or a Redis. */
export interface RevocationSource {
  /** The name of the source in messages and metrics. */
  readonly name: string
  readonly list: Pick<RevocationList, 'find' | 'selectNew' | 'hasKey' | 'version' | 'keysVersion' | 'size'>
  /** Why the present revocations are unknown; the earlier entries stay in force. */
  problem(): string | undefined
  /**
   * Adds entries for every reader of the source. In this process they are in force at once.
   * @throws {HelperError} if they could not be written.
   */
  add(revocations: readonly Revocation[]): Promise<void>
  close(): void
}

/** The revoked tokens of all sources. */
export interface Revocations {
  /** Why an identity is refused; `undefined` if it is not. It sends no request. */
  findRefusal(identity: Identity): TokenRefusal | undefined
  /** The number differs after every change of the revoked keys; earlier decisions are void then. */
  keysVersion(): number
  hasKey(issuer: string, kid: string | undefined, key: KeyObject): boolean
  states(): readonly RevocationState[]
}

/** The state of a source, for metrics and the log. */
export interface RevocationState {
  readonly source: string
  readonly entries: number
  readonly problem: string | undefined
}

/** The treatment of tokens while the revocations are unknown. */
export type UnknownRevocations = 'refuse' | 'pass'

/** Joins sources: a token is refused if one of them refuses it. */
export function createRevocations(sources: readonly RevocationSource[], whileUnknown: UnknownRevocations): Revocations {
  const countVersions = () => sources.reduce((sum, { list }) => sum + list.version, 0)
  /** The version at which no entry for an identity was found. The result stays true, because entries only expire. */
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

/** Creates a finder that does not find revoked keys. */
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

/** The setting that names the lists of revocations, in words: an option and a member of the file of tenants. */
export const revocationsSummary = 'what is refused from now on: files, and redis for a list in the Redis of --redis'
