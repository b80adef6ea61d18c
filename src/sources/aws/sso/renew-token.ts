import { Deadline } from '../../../runtime/deadline.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { changeSharedFile } from '../shared-file/change-shared-file.ts'
import { describeSession, type SsoSession, toTokenPath } from './files/sso-session.ts'
import { readStoredToken } from './files/stored-token.ts'
import type { SsoToken } from './files/token-file.ts'
import { renewUnderLock } from './renew-under-lock.ts'
import { isRenewalDue } from './renewal-due.ts'
import type { SsoParts } from './sso-parts.ts'

/** With less life left, a token is not used before it has been renewed, in milliseconds. Our decision. */
const shortestLifeMs = 60_000

/** How long a renewal may take while the old token is still good, in seconds. Our decision. */
const patienceSec = 5

/**
 * Renews a token, one process at a time. While the old one is good, nobody waits for another process, and a failure costs nothing.
 * @throws {HelperError} `sign-in-required` where AWS renews it no longer; otherwise as for any request and any shared file.
 */
export async function renewToken(stored: SsoToken, session: SsoSession, parts: SsoParts): Promise<SsoToken> {
  const isGood = stored.expiresAt - parts.host.clock.now() > shortestLifeMs
  if (!isGood) return (await renewOnce(session, 'wait', parts))!
  const { deadline } = parts.call
  const seconds = Math.min(deadline.limit.seconds, parts.host.clock.elapsedMs() / 1000 + patienceSec)
  const brief = new Deadline({ ...deadline.limit, seconds }, parts.host.clock)
  try {
    return (await renewOnce(session, 'leave', { ...parts, call: { ...parts.call, deadline: brief } })) ?? stored
  } catch (error) {
    if (error instanceof HelperError) return stored
    throw error
  }
}

function renewOnce(session: SsoSession, whenBusy: 'wait' | 'leave', parts: SsoParts): Promise<SsoToken | undefined> {
  const { host, call } = parts
  const isFresh = (token: SsoToken | undefined) =>
    token && !isRenewalDue(token, session, host.clock.now()) && token.expiresAt > host.clock.now()
  return changeSharedFile(toTokenPath(session, host), call.deadline, {
    otherRun: `another run that renews ${describeSession(session)}`,
    whenBusy,
    find: async () => {
      const token = await readStoredToken(session, host)
      return isFresh(token) ? token : undefined
    },
    make: (file) => renewUnderLock(file, session, parts),
  })
}
