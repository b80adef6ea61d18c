import type { Secret } from '../../runtime/secret.ts'
import { createSecret, digestOf } from '../store/secrets.ts'
import type { State } from '../store/state.ts'

/** A short-lived token. Its workspace was chosen when it was issued. */
export interface AccessToken {
  readonly method: 'federation' | 'attestation'
  /** `null` where a device was attested and nobody signed in. */
  readonly ownerId: string | null
  readonly workspaceId: string
  readonly expiresAt: number
  /** `null` while nobody has revoked it. */
  readonly revokedAt: number | null
}

/** The life of an attestation token. Specification. */
export const attestationLifeSec = 3600

export interface TokenPlan {
  readonly method: AccessToken['method']
  readonly ownerId: string | null
  readonly workspaceId: string
  readonly lifeSec: number
}

/** Issues a token, and forgets those that are over. */
export function issueToken(state: State, { method, ownerId, workspaceId, lifeSec }: TokenPlan): Secret {
  const { secret, digest } = createSecret(method)
  const now = state.now()
  state.sql.run`DELETE FROM access_tokens WHERE expires_at <= ${now - forgetAfterMs}`
  state.sql
    .run`INSERT INTO access_tokens VALUES (${digest}, ${method}, ${ownerId}, ${workspaceId}, ${now + lifeSec * 1000}, NULL)`
  return secret
}

/** Kept for a while, so that the gateway's record can say "expired" and not just "unknown". */
const forgetAfterMs = 86_400_000

export function findTokenBySecret({ sql }: State, secret: string): AccessToken | undefined {
  const row = sql.get`SELECT method, owner_id AS ownerId, workspace_id AS workspaceId, expires_at AS expiresAt,
    revoked_at AS revokedAt
    FROM access_tokens WHERE digest = ${digestOf(secret)}`
  return row as unknown as AccessToken | undefined // columns hold what the schema lets in
}

/** Every token that was issued so far stops working, as after a leak; the number of them. */
export function revokeTokens({ sql, now }: State): number {
  return Number(
    sql.run`UPDATE access_tokens SET revoked_at = ${now()}
    WHERE revoked_at IS NULL AND expires_at > ${now()}`.changes,
  )
}
