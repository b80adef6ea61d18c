import type { KeyFinder } from '../../../verify/jwt/keys/key-finder.ts'
import type { JwtTrust } from '../../../verify/policy/policy.ts'
import type { Log } from '../../../verify/server/log.ts'
import { describeIssuerChanges } from './describe-issuers.ts'

interface FollowParts {
  readonly keys: KeyFinder
  readonly trusts: () => readonly JwtTrust[]
  readonly log: Log
}

const pauseMs = 1_000

/**
 * Fetches the keys of every issuer of the policy before somebody needs them, tries those that never gave any again, and logs what
 * becomes of them. How often an issuer is asked, the keys decide.
 */
export function startIssuerWatch({ keys, trusts, log }: FollowParts): { close(): void } {
  let known = keys.states()
  let prepared: readonly JwtTrust[] | undefined
  const tellChanges = () => {
    const after = keys.states()
    for (const entry of describeIssuerChanges(known, after)) log.tell(entry)
    known = after
  }
  const look = () => {
    tellChanges()
    const current = trusts()
    if (prepared === current && known.every(({ standing }) => standing !== 'none')) return
    prepared = current
    keys.prepare(current).then(tellChanges)
  }
  look()
  const timer = setInterval(look, pauseMs)
  return { close: () => clearInterval(timer) }
}
