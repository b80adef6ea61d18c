import type { Secret } from '../../runtime/secret.ts'
import { createSecret, digestSecret } from '../store/identifiers.ts'
import type { State } from '../store/state.ts'

/** The life of an attestation token, in seconds (platform specification). */
export const attestationLifeSec = 3600

/** Issues a token, and deletes those that expired long ago. */
export function issueToken(state: State, { method, ownerId, workspaceId, lifeSec }: TokenPlan): Secret {
  const { secret, digest } = createSecret(method)
  const now = state.now()
  state.sql.run`DELETE FROM access_tokens WHERE expires_at <= ${now - deleteAfterMs}`
  state.sql
    .run`INSERT INTO access_tokens VALUES (${digest}, ${method}, ${ownerId}, ${workspaceId}, ${now + lifeSec * 1000}, NULL)`
  return secret
}

/** A short-lived token for one workspace. */
interface AccessToken {
  readonly method: 'federation' | 'attestation'
  /** The identity that the token acts as; `null` for the token of an attested device, where no person signed in. */
  readonly ownerId: string | null
  readonly workspaceId: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
  /** Epoch milliseconds; `null` for a token that is not revoked. */
  readonly revokedAt: number | null
}

interface TokenPlan {
  readonly method: AccessToken['method']
  readonly ownerId: string | null
  readonly workspaceId: string
  readonly lifeSec: number
}

/** An expired token is kept for a day, so that the gateway's record can say "expired" instead of "unknown". */
const deleteAfterMs = 86_400_000

/** Finds the token with this secret, even if it has expired or was revoked. */
export function findTokenBySecret({ sql }: State, secret: string): AccessToken | undefined {
  const row = sql.get`SELECT method, owner_id AS ownerId, workspace_id AS workspaceId, expires_at AS expiresAt,
    revoked_at AS revokedAt
    FROM access_tokens WHERE digest = ${digestSecret(secret)}`
  return row as unknown as AccessToken | undefined // the schema permits only these values
}

/**
 * Revokes every issued token, as an operator does after a leak.
 * @returns how many were still valid.
 */
export function revokeTokens({ sql, now }: State): number {
  return Number(
    sql.run`UPDATE access_tokens SET revoked_at = ${now()}
    WHERE revoked_at IS NULL AND expires_at > ${now()}`.changes,
  )
}
