import type { NetworkCall } from '../../../helper/define-helper.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import type { LockedFile } from '../shared-file/change-shared-file.ts'
import { exchangeGrant } from './exchange-grant.ts'
import { isFresh, type LoginCredentials, type LoginSession, parseLoginSession, renderRenewed } from './login-session.ts'
import { describeSignIn, type LoginSite } from './login-site.ts'
import type { IssuedTokens } from './token-answer.ts'

/** What reading and renewing a console sign-in needs. */
export interface LoginContext {
  readonly site: LoginSite
  readonly host: Pick<Host, 'env' | 'home' | 'clock'>
  readonly call: NetworkCall
}

/** Credentials, with AWS's clock less this machine's where AWS was asked, in milliseconds. They expire by AWS's clock then. */
export type RenewedCredentials = LoginCredentials & { readonly clockOffsetMs?: number }

/** The sign-in that a file holds. @throws {HelperError} `sign-in-required` where there is none, or it is damaged. */
export function requireSession(text: string | undefined, { site }: Pick<LoginContext, 'site'>): LoginSession {
  const session = text === undefined ? undefined : parseLoginSession(text)
  if (session) return session
  const message = `${describeSignIn(site)} is ${text === undefined ? 'missing' : 'damaged'}`
  throw new HelperError('sign-in-required', message, site.renewalHint)
}

/**
 * Renews a sign-in, unless another process has done it, for the holder of the lock. The AWS CLI does not take part in the lock:
 * where the refresh token is refused, the file may hold its successor, which is tried once.
 */
export async function fetchRenewedCredentials(file: LockedFile, context: LoginContext): Promise<RenewedCredentials> {
  const session = requireSession(await file.read(), context)
  try {
    return await renew(session, file, context)
  } catch (error) {
    if (!(error instanceof HelperError) || (error.kind !== 'sign-in-required' && error.kind !== 'refused')) throw error
    const next = requireSession(await file.read(), context)
    if (next.refreshToken.reveal() === session.refreshToken.reveal()) throw error
    return renew(next, file, context)
  }
}

async function renew(session: LoginSession, file: LockedFile, context: LoginContext): Promise<RenewedCredentials> {
  const { host, call } = context
  if (isFresh(session, host.clock.now())) return session.credentials
  const { clientId, refreshToken, key } = session
  const site = { ...context.site, region: session.region ?? context.site.region }
  const grant = { grantType: 'refresh_token', clientId, refreshToken: refreshToken.reveal() } as const
  const tokens = await exchangeGrant(grant, key, { site, call })
  const now = host.clock.now()
  await writeOrWarn(file, renderRenewed(session, tokens, now), context)
  return toCredentials(tokens, { account: session.credentials.account, now })
}

/** A full disk costs the renewal of the next run, not this one's credentials. */
async function writeOrWarn(file: LockedFile, text: string, { site, call }: LoginContext): Promise<void> {
  try {
    await file.write(text)
  } catch (error) {
    if (!(error instanceof HelperError)) throw error
    call.warn(`${describeSignIn(site)} was renewed and cannot be stored: ${error.message}; ${error.hint}`)
  }
}

function toCredentials(
  { accessKeyId, secretAccessKey, sessionToken, expiresInSec, clockOffsetMs }: IssuedTokens,
  { account, now }: { account: string | undefined; now: number },
): RenewedCredentials {
  const expiration = new Date(now + clockOffsetMs + expiresInSec * 1000)
  return { accessKeyId, secretAccessKey, sessionToken, expiration, account, clockOffsetMs }
}
