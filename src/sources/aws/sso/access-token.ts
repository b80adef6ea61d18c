import type { SsoSession } from './files/sso-session.ts'
import { readStoredToken, toSignInError } from './files/stored-token.ts'
import type { SsoToken } from './files/token-file.ts'
import { renewToken } from './renew-token.ts'
import { isRenewalDue } from './renewal-due.ts'
import type { SsoParts } from './sso-parts.ts'

/**
 * The sign-in to a session that AWS accepts now, renewed first where it ends soon.
 * @throws {HelperError} `sign-in-required` where only a person can renew it; otherwise as for any request and any shared file.
 */
export async function resolveToken(session: SsoSession, parts: SsoParts): Promise<SsoToken> {
  const { host, call, renewalHint } = parts
  const stored = await call.deadline.during('file', 'reading the SSO session', () => readStoredToken(session, host))
  if (!stored) throw toSignInError(session, 'is not signed in', renewalHint)
  const now = host.clock.now()
  if (isRenewalDue(stored, session, now)) return renewToken(stored, session, parts)
  if (stored.expiresAt > now) return stored
  throw toSignInError(session, `expired at ${new Date(stored.expiresAt).toISOString()}`, renewalHint)
}
