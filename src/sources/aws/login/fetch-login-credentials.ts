import { shortestLifeMs } from '../../../contract/freshness.ts'
import type { NetworkCall } from '../../../helper/define-helper.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import { changeSharedFile, type LockedFile, readSharedFile } from '../files/shared-file.ts'
import type { TemporaryKeys } from '../request/signing-keys.ts'
import { exchangeGrant, type LoginTokens } from './exchange-grant.ts'
import { isFresh, type LoginSession, parseLoginSession, renderRenewed } from './login-session.ts'
import { describeSignIn, type LoginSite, toLoginPath } from './login-site.ts'

/**
 * Fetches the credentials of a console sign-in. If they expire soon, one run at a time renews them, because the refresh token changes each
 * time.
 * @throws {HelperError} `sign-in-required` if only a person can continue; `not-configured` for a file that is not this user's.
 */
export async function fetchLoginCredentials(context: LoginContext): Promise<RenewedCredentials> {
  const { site, host, call } = context
  const path = toLoginPath(site.session, host)
  const read = async () =>
    requireSession(
      await call.deadline.during('file', 'reading the console sign-in', () => readSharedFile(path)),
      context,
    )
  const session = await read()
  if (isFresh(session, host.clock.now())) return session.credentials
  const find = async () => {
    const next = await read()
    return isFresh(next, host.clock.now()) ? next.credentials : undefined
  }
  try {
    const otherRun = `another run that renews ${describeSignIn(site)}`
    const make = (file: LockedFile) => fetchRenewedCredentials(file, context)
    return (await changeSharedFile(path, call.deadline, { otherRun, whenBusy: 'wait', find, make }))!
  } catch (error) {
    return serveOld(session, error, context)
  }
}

/** Returns whether the file of a sign-in holds credentials that need no renewal. An unreadable file counts as empty. */
export async function hasFreshSession({ site, host }: Pick<LoginContext, 'site' | 'host'>): Promise<boolean> {
  const text = await readSharedFile(toLoginPath(site.session, host)).catch(() => undefined)
  const session = text === undefined ? undefined : parseLoginSession(text)
  return session !== undefined && isFresh(session, host.clock.now())
}

/** The kinds of failure after which the old credentials are still used. */
const passingKinds: readonly string[] = ['unavailable', 'not-configured']

/** Parses the sign-in in a file. @throws {HelperError} `sign-in-required` if it is missing or damaged. */
function requireSession(text: string | undefined, { site }: Pick<LoginContext, 'site'>): LoginSession {
  const session = text === undefined ? undefined : parseLoginSession(text)
  if (session) return session
  const message = `${describeSignIn(site)} is ${text === undefined ? 'missing' : 'damaged'}`
  throw new HelperError('sign-in-required', message, site.renewalHint)
}

/**
 * Renews a sign-in, unless another process has done so. The caller must hold the lock. The AWS CLI does not use the lock, so after a
 * refusal the file may have a newer refresh token, which is tried once.
 */
async function fetchRenewedCredentials(file: LockedFile, context: LoginContext): Promise<RenewedCredentials> {
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

function serveOld(
  { credentials }: LoginSession,
  error: unknown,
  { site, host, call }: LoginContext,
): RenewedCredentials {
  const leftMs = credentials.expiration.getTime() - host.clock.now()
  if (!(error instanceof HelperError) || !passingKinds.includes(error.kind) || leftMs <= shortestLifeMs) throw error
  const end = credentials.expiration.toISOString()
  call.warn(`${describeSignIn(site)} cannot be renewed now: ${error.message}; its credentials are used until ${end}`)
  return credentials
}

/** The inputs for reading and renewing a console sign-in. */
interface LoginContext {
  readonly site: LoginSite
  readonly host: Pick<Host, 'env' | 'home' | 'clock'>
  readonly call: NetworkCall
}

/** The credentials, and the offset of AWS's clock if AWS was asked. Their expiry is then by AWS's clock. */
type RenewedCredentials = TemporaryKeys & { readonly clockOffsetMs?: number }

async function renew(session: LoginSession, file: LockedFile, context: LoginContext): Promise<RenewedCredentials> {
  const { host, call } = context
  if (isFresh(session, host.clock.now())) return session.credentials
  const { clientId, refreshToken, key } = session
  const site = { ...context.site, region: session.region ?? context.site.region }
  const grant = { grantType: 'refresh_token', clientId, refreshToken: refreshToken.reveal() } as const
  const tokens = await exchangeGrant(grant, key, { site, host, call })
  const now = host.clock.now()
  await writeOrWarn(file, renderRenewed(session, tokens, now), context)
  return toCredentials(tokens, { account: session.credentials.account, now })
}

/** Writes the file, or warns. After an error the next run has to renew again, but this run has its credentials. */
async function writeOrWarn(file: LockedFile, text: string, { site, call }: LoginContext): Promise<void> {
  try {
    await file.write(text)
  } catch (error) {
    if (!(error instanceof HelperError)) throw error
    call.warn(`${describeSignIn(site)} was renewed and cannot be stored: ${error.message}; ${error.hint}`)
  }
}

function toCredentials(
  { accessKeyId, secretAccessKey, sessionToken, expiresInSec, clockOffsetMs }: LoginTokens,
  { account, now }: { account: string | undefined; now: number },
): RenewedCredentials {
  const expiration = new Date(now + clockOffsetMs + expiresInSec * 1000)
  return { accessKeyId, secretAccessKey, sessionToken, expiration, account, clockOffsetMs }
}
