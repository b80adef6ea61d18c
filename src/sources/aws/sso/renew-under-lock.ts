import { HelperError } from '../../../runtime/failure.ts'
import type { LockedFile } from '../shared-file/change-shared-file.ts'
import type { SsoSession } from './files/sso-session.ts'
import { toSignInError } from './files/stored-token.ts'
import { parseSsoToken, renderSsoToken, type SsoToken } from './files/token-file.ts'
import { isRenewalDue } from './renewal-due.ts'
import { exchangeGrant } from './requests/exchange-grant.ts'
import { OidcRefusal } from './requests/oidc-answer.ts'
import type { SsoParts } from './sso-parts.ts'

/**
 * Renews the token that a file holds now, unless that is no longer due, and stores the new one before anybody uses it.
 * @throws {HelperError} `sign-in-required` where AWS renews it no longer, or it is gone; otherwise as for any request.
 */
export async function renewUnderLock(file: LockedFile, session: SsoSession, parts: SsoParts): Promise<SsoToken> {
  const text = await file.read()
  const token = requireToken(text, session, parts)
  if (!isRenewalDue(token, session, parts.host.clock.now())) return requireUnexpired(token, session, parts)
  try {
    return await exchangeAndWrite({ file, text, token }, session, parts)
  } catch (error) {
    if (!(error instanceof OidcRefusal)) throw error
    return renewAfterRefusal({ file, token, error }, session, parts)
  }
}

/**
 * A refusal tells about the refresh token that was sent, and not about the person: a program that takes no lock of ours may have
 * used it in the meantime, and stored the next one.
 */
async function renewAfterRefusal(
  { file, token, error }: { file: LockedFile; token: SsoToken; error: OidcRefusal },
  session: SsoSession,
  parts: SsoParts,
): Promise<SsoToken> {
  const text = await file.read()
  const found = requireToken(text, session, parts)
  const isSame = found.refreshToken?.reveal() === token.refreshToken?.reveal()
  if (isSame) throw toRenewalError(found, session, parts, error)
  if (!isRenewalDue(found, session, parts.host.clock.now())) return requireUnexpired(found, session, parts)
  try {
    return await exchangeAndWrite({ file, text, token: found }, session, parts)
  } catch (again) {
    throw again instanceof OidcRefusal ? toRenewalError(found, session, parts, again) : again
  }
}

/** What was read last, and the token in it. */
interface Reading {
  readonly file: LockedFile
  readonly text: string | undefined
  readonly token: SsoToken
}

async function exchangeAndWrite(
  { file, text, token }: Reading,
  session: SsoSession,
  parts: SsoParts,
): Promise<SsoToken> {
  const { refreshToken, client } = token
  // Not given up once it is sent: nobody knows whether AWS takes the same refresh token once more.
  const whole = { ...parts, call: { ...parts.call, deadline: parts.call.deadline.whole } }
  const renewed = await exchangeGrant({ grantType: 'refresh_token', refreshToken: refreshToken! }, client!, whole)
  const found = await file.read()
  // A person has signed in or out in the meantime, with another tool: what is there now counts.
  if (found !== text) return requireUnexpired(requireToken(found, session, parts), session, parts)
  try {
    await file.write(renderSsoToken(renewed, session))
  } catch (error) {
    if (!(error instanceof HelperError)) throw error
    parts.call.warn(`${error.message}; the renewed sign-in is used once and lost`)
  }
  return renewed
}

function requireToken(text: string | undefined, session: SsoSession, { renewalHint }: SsoParts): SsoToken {
  const token = text === undefined ? undefined : parseSsoToken(text)
  if (!token) throw toSignInError(session, 'is not signed in', renewalHint)
  return token
}

function requireUnexpired(token: SsoToken, session: SsoSession, { host, renewalHint }: SsoParts): SsoToken {
  if (token.expiresAt > host.clock.now()) return token
  throw toSignInError(session, `expired at ${new Date(token.expiresAt).toISOString()}`, renewalHint)
}

function toRenewalError(
  token: SsoToken,
  session: SsoSession,
  { renewalHint, host }: SsoParts,
  cause: unknown,
): HelperError {
  const verb = token.expiresAt > host.clock.now() ? 'expires' : 'expired'
  const end = new Date(token.expiresAt).toISOString()
  return toSignInError(session, `${verb} at ${end} and cannot be renewed`, renewalHint, cause)
}
