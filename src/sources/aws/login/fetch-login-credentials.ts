import { HelperError } from '../../../runtime/failure.ts'
import { changeSharedFile } from '../shared-file/change-shared-file.ts'
import { readSharedFile } from '../shared-file/read-shared-file.ts'
import {
  fetchRenewedCredentials,
  type LoginContext,
  type RenewedCredentials,
  requireSession,
} from './fetch-renewed-credentials.ts'
import { toLoginPath } from './login-file.ts'
import { isFresh, type LoginSession, parseLoginSession } from './login-session.ts'
import { describeSignIn } from './login-site.ts'

/** Credentials that cannot be renewed at the moment are used while they live for longer than this. Our decision, in milliseconds. */
const leastLeftMs = 60_000

/**
 * The credentials of a console sign-in, renewed where they are about to expire, by one run at a time, because the refresh token
 * changes each time.
 * @throws {HelperError} `sign-in-required` where only a person can go on; `not-configured` for a file that is not this user's.
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
    const make = (file: Parameters<typeof fetchRenewedCredentials>[0]) => fetchRenewedCredentials(file, context)
    return (await changeSharedFile(path, call.deadline, { otherRun, whenBusy: 'wait', find, make }))!
  } catch (error) {
    return useOld(session, error, context)
  }
}

/** Whether the file of a sign-in holds credentials that need no renewal. A file that cannot be read holds none. */
export async function hasFreshSession({ site, host }: Pick<LoginContext, 'site' | 'host'>): Promise<boolean> {
  const text = await readSharedFile(toLoginPath(site.session, host)).catch(() => undefined)
  const session = text === undefined ? undefined : parseLoginSession(text)
  return session !== undefined && isFresh(session, host.clock.now())
}

/** What keeps the sign-in from being renewed for now, while its credentials still work. */
const passingKinds: readonly string[] = ['unavailable', 'not-configured']

function useOld({ credentials }: LoginSession, error: unknown, { site, host, call }: LoginContext): RenewedCredentials {
  const leftMs = credentials.expiration.getTime() - host.clock.now()
  if (!(error instanceof HelperError) || !passingKinds.includes(error.kind) || leftMs <= leastLeftMs) throw error
  const end = credentials.expiration.toISOString()
  call.warn(`${describeSignIn(site)} cannot be renewed now: ${error.message}; its credentials are used until ${end}`)
  return credentials
}
