import type { IssuerState } from '../../../verify/jwt/keys/key-finder.ts'
import type { LogEntry } from '../../../verify/server/log.ts'

/** What has changed of the keys of issuers, as lines of the log; pure. */
export function describeIssuerChanges(before: readonly IssuerState[], after: readonly IssuerState[]): LogEntry[] {
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

/** Once for as long as it fails in one way. */
function describeFailure({ issuer, failure, standing }: IssuerState, earlier: IssuerState | undefined): LogEntry[] {
  if (!failure || failure.says === earlier?.failure?.says) return []
  const left = standing === 'none' ? 'its tokens are refused' : 'earlier keys are used'
  const message = `the keys of ${issuer} cannot be fetched: ${left}`
  return [{ level: 'warning', event: 'keys-unavailable', message, facts: { issuer, cause: failure.says } }]
}
