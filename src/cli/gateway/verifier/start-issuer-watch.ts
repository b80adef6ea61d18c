import type { IssuerState, KeyFinder } from '../../../verify/jwt/key-finder.ts'
import type { JwtTrust } from '../../../verify/policy/policy.ts'
import type { Log, LogEntry } from '../../../verify/server/log.ts'

/**
 * Fetches the keys of every issuer of the policy before a request needs them, retries issuers without keys, and logs the results. The key
 * finder limits the rate of these requests.
 */
export function startIssuerWatch({ keys, trusts, log }: IssuerWatchParts): { close(): void } {
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

interface IssuerWatchParts {
  readonly keys: KeyFinder
  readonly trusts: () => readonly JwtTrust[]
  readonly log: Log
}

const pauseMs = 1_000

/** Describes the changes of issuers' keys for the log; pure. */
function describeIssuerChanges(before: readonly IssuerState[], after: readonly IssuerState[]): LogEntry[] {
  return after.flatMap((state) => {
    const earlier = before.find(({ issuer }) => issuer === state.issuer)
    return [...describeKeys(state, earlier), ...describeFailure(state, earlier)]
  })
}

function describeKeys({ issuer, fetchedAt, keys, unused }: IssuerState, earlier: IssuerState | undefined): LogEntry[] {
  if (fetchedAt === undefined || fetchedAt === earlier?.fetchedAt) return []
  const message = `the keys of ${issuer} were fetched`
  const facts = { issuer, keys, unused: unused.length === 0 ? undefined : unused.join('; ') }
  return [{ level: 'info', event: 'keys', message, facts }]
}

/** A failure is logged once, until the issuer fails differently. */
function describeFailure({ issuer, failure, standing }: IssuerState, earlier: IssuerState | undefined): LogEntry[] {
  if (!failure || failure.says === earlier?.failure?.says) return []
  const left = standing === 'none' ? 'its tokens are refused' : 'earlier keys are used'
  const message = `the keys of ${issuer} cannot be fetched: ${left}`
  return [{ level: 'warning', event: 'keys-unavailable', message, facts: { issuer, cause: failure.says } }]
}
