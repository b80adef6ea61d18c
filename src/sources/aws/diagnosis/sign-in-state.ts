import type { DiagnosisLine } from '../../../helper/diagnosis.ts'
import type { Renewal, SignInState } from '../../../helper/sign-in.ts'
import { readIfPresent } from '../../../runtime/disk.ts'
import { attemptUnlessFailed } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import { describeMoment } from '../../../runtime/values/duration.ts'
import { type AwsCredentialSource, type AwsPlan, type SourceOf, selectFirst } from '../credentials/credential-source.ts'
import { parseLoginSession } from '../login/login-session.ts'
import { toLoginPath } from '../login/login-site.ts'
import { describeSession, type SsoSession, toTokenPath } from '../sso/sso-session.ts'
import { isRenewalDue, parseSsoToken } from '../sso/stored-token.ts'

/** Describes how long the sign-in of a chain lasts, according to its file; empty for a chain without a sign-in. */
export async function describeSessions(
  plan: Pick<AwsPlan, 'source' | 'describeRenewal'>,
  host: Host,
): Promise<DiagnosisLine[]> {
  const found = await readSession(plan, host)
  if (!found) return []
  const { name, path, session } = found
  const hint = plan.describeRenewal()
  if (session === 'absent') return [{ status: 'bad', text: `${name}: nobody is signed in`, hint }]
  if (session === 'unreadable') return [{ status: 'bad', text: `${name}: ${path} holds no sign-in`, hint }]
  return [describeLife(name, session, { now: host.clock.now(), hint })]
}

/**
 * Reads who is signed in to AWS for a chain, from the files of the AWS tools. For a console sign-in this is the ARN in the profile; for an
 * SSO session, no file names the person. `undefined` for a chain without a sign-in.
 */
export async function readSignInState(plan: AwsPlan, host: Host): Promise<SignInState | undefined> {
  const found = await readSession(plan, host)
  if (!found) return undefined
  const { source, path, session } = found
  const subject = source.kind === 'sso' ? found.name : 'AWS'
  const names = { subject, purpose: describePurpose(plan.source, source) }
  if (session === 'absent') return names
  if (session === 'unreadable')
    return { ...names, ended: `nobody is signed in to ${subject}: ${path} holds no sign-in` }
  const now = host.clock.now()
  const { isRenewable, endsAt } = session
  if (!isRenewable && endsAt <= now)
    return { ...names, ended: `the sign-in to ${subject} ended at ${describeMoment(endsAt, now)}` }
  const account = source.kind === 'login' ? source.session : undefined
  return {
    ...names,
    session: { account, what: `the ${session.what}`, endsAt, renewal: toRenewal(session, source) },
  }
}

/** The sign-in of a chain, with the content of its file. */
interface FoundSession {
  readonly source: SourceOf<'sso' | 'login'>
  /** The name of the session in messages. */
  readonly name: string
  readonly path: string
  readonly session: AwsSession | 'absent' | 'unreadable'
}

/** Reads the sign-in with which a chain begins; `undefined` for a chain without one. */
async function readSession({ source: first }: Pick<AwsPlan, 'source'>, host: Host): Promise<FoundSession | undefined> {
  const source = selectFirst(first)
  if (source.kind !== 'sso' && source.kind !== 'login') return undefined
  const { name, path, parse } =
    source.kind === 'sso'
      ? {
          name: describeSession(source),
          path: toTokenPath(source, host),
          parse: createSsoParser(source, host.clock.now()),
        }
      : {
          name: `the console sign-in ${source.session}`,
          path: toLoginPath(source.session, host),
          parse: createLoginParser(host.clock.now()),
        }
  const text = await attemptUnlessFailed(() => readIfPresent(path)) // the chain reports why it cannot be read
  return { source, name, path, session: text === undefined ? 'absent' : (parse(text) ?? 'unreadable') }
}

/** A sign-in as its file describes it. Times are epoch milliseconds. */
interface AwsSession {
  /** The name of the part that expires first. */
  readonly what: string
  readonly endsAt: number
  /** Whether it can be renewed without a person when it ends. */
  readonly isRenewable: boolean
  /** When the registration of our client expires; `undefined` if the file does not say. */
  readonly registeredUntil: number | undefined
}

function createSsoParser(source: SsoSession, now: number): (text: string) => AwsSession | undefined {
  return (text) => {
    const token = parseSsoToken(text)
    if (!token) return undefined
    const { expiresAt, client } = token
    const isRenewable = isRenewalDue(token, source, Math.max(now, expiresAt))
    return { what: 'access token', endsAt: expiresAt, isRenewable, registeredUntil: client?.expiresAt }
  }
}

/**
 * The longest life of a console sign-in, in milliseconds (AWS documentation, "Login for AWS local development using console credentials").
 * AWS does not state when it began, so it is counted from the latest renewal.
 */
const longestLoginMs = 12 * 3_600_000

function createLoginParser(now: number): (text: string) => AwsSession | undefined {
  return (text) => {
    const endsAt = parseLoginSession(text)?.credentials.expiration.getTime()
    if (endsAt === undefined) return undefined
    return { what: 'credentials', endsAt, isRenewable: now < endsAt + longestLoginMs, registeredUntil: undefined }
  }
}

function describeLife(name: string, session: AwsSession, { now, hint }: { now: number; hint: string }): DiagnosisLine {
  const { what, endsAt, isRenewable, registeredUntil } = session
  const end = `${name}: ${what} ${endsAt > now ? 'until' : 'expired at'} ${describeMoment(endsAt, now)}`
  const renewal = isRenewable ? ', renewed without a person' : ', and cannot be renewed'
  const ended = registeredUntil !== undefined && registeredUntil <= now ? 'ended at' : 'until'
  const client =
    registeredUntil === undefined ? '' : `; client registration ${ended} ${describeMoment(registeredUntil, now)}`
  const text = `${end}${renewal}${client}`
  return isRenewable ? { status: 'good', text } : { status: endsAt > now ? 'note' : 'bad', text, hint }
}

/** Describes the identity that the sign-in gives, according to the profile. */
function describePurpose(first: AwsCredentialSource, source: SourceOf<'sso' | 'login'>): string | undefined {
  if (first.kind === 'role') return `the role ${first.roleArn}`
  return source.kind === 'sso' ? `the role ${source.role} in the account ${source.account}` : undefined
}

function toRenewal({ isRenewable }: AwsSession, source: SourceOf<'sso' | 'login'>): Renewal {
  if (source.kind === 'login')
    return {
      isSilent: true,
      how: `without a person, until at most ${longestLoginMs / 3_600_000} hours after the sign-in, of which no file tells the time`,
    }
  if (isRenewable)
    return {
      isSilent: true,
      how: 'without a person, as long as the session at AWS lasts, of which no file tells the end',
    }
  const why =
    source.session === undefined ? 'the profile names no sso_session' : 'its file holds nothing that renews it'
  return { isSilent: false, how: `by a person, because ${why}` }
}
