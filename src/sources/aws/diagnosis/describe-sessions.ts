import type { Observation } from '../../../helper/diagnosis.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { readIfPresent } from '../../../runtime/files.ts'
import type { Host } from '../../../runtime/host.ts'
import { describeMoment } from '../../describe-moment.ts'
import { describeRenewal } from '../credentials/hints.ts'
import type { AwsPlan } from '../credentials/plan.ts'
import { toLoginPath } from '../login/login-file.ts'
import { parseLoginSession } from '../login/login-session.ts'
import { describeSession, type SsoSession, toTokenPath } from '../sso/files/sso-session.ts'
import { parseSsoToken } from '../sso/files/token-file.ts'
import { isRenewalDue } from '../sso/renewal-due.ts'
import { listChain } from './explain-plan.ts'

/** How long the sign-in of a chain lasts, as its file says; empty for a chain without one. */
export async function describeSessions(plan: Pick<AwsPlan, 'source' | 'files'>, host: Host): Promise<Observation[]> {
  for (const source of listChain(plan.source)) {
    if (source.kind !== 'sso' && source.kind !== 'login') continue
    const now = host.clock.now()
    const { name, path, parse } =
      source.kind === 'sso'
        ? { name: describeSession(source), path: toTokenPath(source, host), parse: createSsoParser(source, now) }
        : { name: `the console sign-in ${source.session}`, path: toLoginPath(source.session, host), parse: parseLogin }
    const text = await readText(path)
    const hint = describeRenewal(source, plan.files)
    if (text === undefined) return [{ status: 'bad', text: `${name}: nobody is signed in`, hint }]
    const session = parse(text)
    return [
      session
        ? describeLife(name, session, { now, hint })
        : { status: 'bad', text: `${name}: ${path} holds no sign-in`, hint },
    ]
  }
  return []
}

/** A sign-in as its file describes it. Times are epoch milliseconds. */
interface Session {
  /** What of it ends first. */
  readonly what: string
  readonly endsAt: number
  /** Whether it can be renewed without a person when it ends. */
  readonly isRenewable: boolean
  /** When our client has to be registered anew; `undefined` where the file does not say. */
  readonly registeredUntil: number | undefined
}

function createSsoParser(source: SsoSession, now: number): (text: string) => Session | undefined {
  return (text) => {
    const token = parseSsoToken(text)
    if (!token) return undefined
    const { expiresAt, client } = token
    const isRenewable = isRenewalDue(token, source, Math.max(now, expiresAt))
    return { what: 'access token', endsAt: expiresAt, isRenewable, registeredUntil: client?.expiresAt }
  }
}

/** AWS does not say when a console sign-in ends for good, which is at most 12 hours after it began. */
function parseLogin(text: string): Session | undefined {
  const session = parseLoginSession(text)
  const endsAt = session?.credentials.expiration.getTime()
  return endsAt === undefined
    ? undefined
    : { what: 'credentials', endsAt, isRenewable: true, registeredUntil: undefined }
}

function describeLife(name: string, session: Session, { now, hint }: { now: number; hint: string }): Observation {
  const { what, endsAt, isRenewable, registeredUntil } = session
  const end = `${name}: ${what} ${endsAt > now ? 'until' : 'expired at'} ${describeMoment(endsAt, now)}`
  const renewal = isRenewable ? ', renewed without a person' : ', and cannot be renewed'
  const ended = registeredUntil !== undefined && registeredUntil <= now ? 'ended at' : 'until'
  const client =
    registeredUntil === undefined ? '' : `; client registration ${ended} ${describeMoment(registeredUntil, now)}`
  const text = `${end}${renewal}${client}`
  return isRenewable ? { status: 'good', text } : { status: endsAt > now ? 'note' : 'bad', text, hint }
}

/** A file that cannot be read says as little as one that is not there; the chain says why. */
async function readText(path: string): Promise<string | undefined> {
  try {
    return await readIfPresent(path)
  } catch (error) {
    if (error instanceof HelperError) return undefined
    throw error
  }
}
