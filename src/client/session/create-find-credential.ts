import type { CredentialSource, SessionCredential } from '../credentials/credential-source.ts'
import type { FindCredential } from '../turn/run-turn.ts'

/** Finds the credential of one session. A changed document may replace the client's source between two turns. */
export function createFindCredential(
  first: CredentialSource,
  firstSession: SessionCredential,
  findSource: () => CredentialSource,
): FindCredential {
  let source = first
  let session = firstSession
  return async (emit) => {
    if (source !== findSource()) {
      source = findSource()
      session = await source.joinSession(emit)
    }
    return { source, session }
  }
}
