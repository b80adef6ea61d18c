// Gives the access token of a session, renewed if that is due; `stored-token.ts` has its file.

import { shortestLifeMs } from '../../../contract/freshness.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { roomHint } from '../../../runtime/files/replace-file.ts'
import type { Host } from '../../../runtime/host.ts'
import { runRenewal } from '../../oauth/progress/run-renewal.ts'
import { attemptRenewal, reserveSec, waitForRenewal } from '../../oauth/progress/wait-for-renewal.ts'
import { changeSharedFile, type LockedFile } from '../files/shared-file.ts'
import { exchangeGrant, SsoRefusal } from './send-sso.ts'
import { describeSession, type SsoParts, type SsoSession, toTokenPath } from './sso-session.ts'
import {
  isRenewalDue,
  parseSsoToken,
  readStoredToken,
  renderSsoToken,
  type SsoToken,
  toSignInError,
} from './stored-token.ts'

/**
 * Returns a sign-in that AWS accepts now, and renews it first if it expires soon.
 * @throws {HelperError} `sign-in-required` if only a person can renew it; otherwise as any request and any shared file does.
 */
export async function requireSsoToken(session: SsoSession, parts: SsoParts): Promise<SsoToken> {
  const { host, call, renewalHint } = parts
  const stored = await call.deadline.during('file', 'reading the SSO session', () => readStoredToken(session, host))
  if (!stored) throw toSignInError(session, 'is not signed in', renewalHint)
  if (isRenewalDue(stored, session, host.clock.now())) return renewToken(stored, session, parts)
  return requireUnexpired(stored, session, parts)
}

/** In seconds: how long a renewal may take while the old token is still valid. Our decision. */
const patienceSec = 5

/**
 * Renews a token, one process at a time. While the old token is valid, nobody waits for another process, and a failure has no effect.
 * @throws {HelperError} `sign-in-required` if AWS no longer renews it; otherwise as {@link requireSsoToken} does.
 */
async function renewToken(stored: SsoToken, session: SsoSession, parts: SsoParts): Promise<SsoToken> {
  const isGood = stored.expiresAt - parts.host.clock.now() > shortestLifeMs
  if (!isGood) return (await renewElsewhere(stored, session, parts)) ?? (await renewOnce(session, 'wait', parts))!
  try {
    return (await renewWhileGood(stored, session, parts)) ?? stored
  } catch (error) {
    if (error instanceof HelperError) return stored
    throw error
  }
}

/**
 * Renews a token in a separate process, for the runs that wait. AWS does not say whether it accepts a refresh token twice, so the answer
 * must not be lost when a run ends.
 */
export async function renewTokenForRuns(
  session: SsoSession,
  parts: SsoParts,
  host: Pick<Host, 'clock' | 'env' | 'home' | 'platform'>,
): Promise<void> {
  await runRenewal(toRenewalId(session), { host, call: parts.call }, async () => {
    try {
      await renewOnce(session, 'wait', parts)
    } catch (error) {
      // Each run reports a file that cannot be used.
      if (error instanceof HelperError && error.kind !== 'not-configured') return error
      throw error
    }
    const kept = await readStoredToken(session, host)
    if (!kept || !isRenewalDue(kept, session, host.clock.now())) return undefined
    const name = describeSession(session)
    const path = toTokenPath(session, host)
    return new HelperError('not-configured', `${name} was renewed, and cannot be kept in ${path}`, roomHint)
  })
}

function toRenewalId(session: SsoSession): string {
  return JSON.stringify(['sso', session.session ?? session.startUrl])
}

/** Renews in a separate process; `undefined` if none can be started. */
async function renewElsewhere(
  stored: SsoToken,
  session: SsoSession,
  { host, call }: SsoParts,
): Promise<SsoToken | undefined> {
  const { ownProgram, deadline } = call
  if (!ownProgram) return undefined
  const find = () => findFresh(session, host)
  const renewal = { id: toRenewalId(session), subject: describeSession(session), issued: stored.expiresAt, find }
  const result = await waitForRenewal(renewal, { host, ownProgram, deadline: deadline.leave(reserveSec) })
  if (result === 'impossible') return undefined
  if ('failure' in result) throw result.failure
  return result.value
}

/** Starts the renewal of a token that is still valid; `undefined` if a separate process renews it, while this run uses the old token. */
async function renewWhileGood(stored: SsoToken, session: SsoSession, parts: SsoParts): Promise<SsoToken | undefined> {
  const { host, call } = parts
  const { ownProgram } = call
  const brief = { ...call, deadline: call.deadline.shorten(patienceSec) }
  const renewal = { id: toRenewalId(session), issued: stored.expiresAt }
  if (ownProgram && (await attemptRenewal(renewal, { host, ownProgram, deadline: brief.deadline }))) return undefined
  return renewOnce(session, 'leave', { ...parts, call: brief })
}

async function findFresh(session: SsoSession, host: SsoParts['host']): Promise<SsoToken | undefined> {
  const token = await readStoredToken(session, host)
  const isFresh = token && !isRenewalDue(token, session, host.clock.now()) && token.expiresAt > host.clock.now()
  return isFresh ? token : undefined
}

function renewOnce(session: SsoSession, whenBusy: 'wait' | 'leave', parts: SsoParts): Promise<SsoToken | undefined> {
  const { host, call } = parts
  return changeSharedFile(toTokenPath(session, host), call.deadline, {
    otherRun: `another run that renews ${describeSession(session)}`,
    whenBusy,
    find: () => findFresh(session, host),
    make: (file) => renewUnderLock(file, session, parts),
  })
}

/**
 * Renews the token in the file, unless it is no longer due, and stores the new token before any run uses it.
 * @throws {HelperError} `sign-in-required` if AWS no longer renews it, or if it is gone; otherwise as any request does.
 */
async function renewUnderLock(file: LockedFile, session: SsoSession, parts: SsoParts): Promise<SsoToken> {
  const text = await file.read()
  const token = requireToken(text, session, parts)
  if (!isRenewalDue(token, session, parts.host.clock.now())) return requireUnexpired(token, session, parts)
  try {
    return await exchangeAndWrite({ file, text, token }, session, parts)
  } catch (error) {
    if (!(error instanceof SsoRefusal)) throw error
    return renewAfterRefusal({ file, token, error }, session, parts)
  }
}

/**
 * Tries again with a newer refresh token after a refusal. A program that does not use our lock may have used the refused one meanwhile, and
 * stored its successor.
 */
async function renewAfterRefusal(
  { file, token, error }: { file: LockedFile; token: SsoToken; error: SsoRefusal },
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
    throw again instanceof SsoRefusal ? toRenewalError(found, session, parts, again) : again
  }
}

/** The file's text as last read, and the token in it. */
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
  // Waits until the end of the whole call: a refresh token that was sent may be used up, and AWS does not say whether it accepts it again.
  const whole = { ...parts, call: { ...parts.call, deadline: parts.call.deadline.whole } }
  const renewed = await exchangeGrant({ grantType: 'refresh_token', refreshToken: refreshToken! }, client!, whole)
  const found = await file.read()
  // Another tool has signed a person in or out meanwhile, so the current file counts.
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
