import type { CredentialSource, SessionCredential } from '../credentials/credential-source.ts'
import type { FindCredential } from '../turn/play-turn.ts'

/** A session's part of its client's source, which a changed document may replace between two turns. */
export function sessionCredentials(
  first: CredentialSource,
  firstUser: SessionCredential,
  findSource: () => CredentialSource,
): FindCredential {
  let source = first
  let user = firstUser
  return async (tell) => {
    if (source !== findSource()) {
      source = findSource()
      user = await source.joinSession(tell)
    }
    return { missing: source.missing, user }
  }
}
