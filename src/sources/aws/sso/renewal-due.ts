import { renewalWindowMs } from './files/registration-file.ts'
import type { SsoSession } from './files/sso-session.ts'
import type { SsoToken } from './files/token-file.ts'

/** Whether a token is to be renewed: it ends soon, and AWS gave what renews it. Only sessions with a name can be renewed. */
export function isRenewalDue({ expiresAt, refreshToken, client }: SsoToken, session: SsoSession, now: number): boolean {
  if (session.session === undefined || !refreshToken || !client) return false
  const isRegistered = client.expiresAt === undefined || client.expiresAt > now
  return isRegistered && expiresAt - now < renewalWindowMs
}
