// Reads and writes the file in which the AWS tools keep the access token of a session.

import type { Deadline } from '../../../runtime/deadline.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import { Secret } from '../../../runtime/secret.ts'
import { parseObject } from '../../../runtime/values/json-value.ts'
import { isRegionName } from '../endpoint-settings.ts'
import { changeSharedFile, readSharedFile, renderCliTime, renderPythonJson } from '../files/shared-file.ts'
import { describeSession, type SsoSession, toTokenPath } from './sso-session.ts'

/**
 * Reads the stored sign-in to a session, whichever tool stored it; `undefined` if there is none. A damaged file counts as missing, because
 * a new sign-in replaces it.
 * @throws {HelperError} `not-configured` for a file that is not this user's own.
 */
export async function readStoredToken(session: SsoSession, host: Pick<Host, 'home'>): Promise<SsoToken | undefined> {
  const path = toTokenPath(session, host)
  const text = await readSharedFile(path)
  const token = text === undefined ? undefined : parseSsoToken(text)
  if (text === undefined || token) return token
  // The AWS CLI writes its files in place, so the file may be incomplete for a moment.
  await new Promise((written) => setTimeout(written, writingMs))
  return parseSsoToken((await readSharedFile(path)) ?? '')
}

/** In milliseconds: how long the AWS CLI may take to write a file. Our decision. */
const writingMs = 100

/** Stores a new sign-in in place of the old one. @throws {HelperError} if it cannot be stored. */
export async function writeStoredToken(
  token: SsoToken,
  session: SsoSession,
  { host, deadline }: { host: Pick<Host, 'home'>; deadline: Deadline },
): Promise<void> {
  await changeSharedFile(toTokenPath(session, host), deadline, {
    otherRun: `another run that changes ${describeSession(session)}`,
    whenBusy: 'wait',
    find: async () => undefined,
    make: (file) => file.write(renderSsoToken(token, session)),
  })
}

/** Creates the failure that requires a person's sign-in. */
export function toSignInError(session: SsoSession, how: string, hint: string, cause?: unknown): HelperError {
  return new HelperError('sign-in-required', `${describeSession(session)} ${how}`, hint, { cause })
}

/** The content of a sign-in's file. Times are milliseconds since the epoch. */
export interface SsoToken {
  readonly accessToken: Secret
  readonly expiresAt: number
  /** Absent if AWS issued none, so that only a person can renew the sign-in. */
  readonly refreshToken?: Secret | undefined
  /** The registered client to which the refresh token belongs. */
  readonly client?: SsoClient | undefined
  /** The region in which the person signed in. */
  readonly region?: string | undefined
}

/** A client that is registered with AWS. */
export interface SsoClient {
  readonly id: string
  readonly secret: Secret
  /** Absent in files of tools that did not write it. */
  readonly expiresAt?: number | undefined
}

/** Parses the file of a sign-in; `undefined` for any other text, which a new sign-in replaces. */
export function parseSsoToken(text: string): SsoToken | undefined {
  const { accessToken, expiresAt: end, refreshToken, region, ...registration } = parseObject(text) ?? {}
  const expiresAt = parseSsoTime(end)
  if (typeof accessToken !== 'string' || accessToken === '' || expiresAt === undefined) return undefined
  return {
    accessToken: new Secret(accessToken),
    expiresAt,
    refreshToken: typeof refreshToken === 'string' ? new Secret(refreshToken) : undefined,
    client: parseClient(registration),
    // It becomes part of the name of a host.
    region: typeof region === 'string' && isRegionName(region) ? region : undefined,
  }
}

function parseClient({
  clientId,
  clientSecret,
  registrationExpiresAt,
}: Record<string, unknown>): SsoClient | undefined {
  if (typeof clientId !== 'string' || typeof clientSecret !== 'string') return undefined
  return { id: clientId, secret: new Secret(clientSecret), expiresAt: parseSsoTime(registrationExpiresAt) }
}

/** Renders the file of a sign-in, byte for byte as the AWS CLI writes it (AWS CLI 2.36, `SSOTokenFetcherAuth` and `SSOTokenProvider`). */
export function renderSsoToken(token: SsoToken, { startUrl, region }: Pick<SsoSession, 'startUrl' | 'region'>): string {
  const { accessToken, expiresAt, refreshToken, client } = token
  return renderPythonJson({
    startUrl,
    region: token.region ?? region,
    accessToken: accessToken.reveal(),
    expiresAt: renderCliTime(expiresAt),
    clientId: client?.id,
    clientSecret: client?.secret.reveal(),
    registrationExpiresAt: client?.expiresAt === undefined ? undefined : renderCliTime(client.expiresAt),
    refreshToken: refreshToken?.reveal(),
  })
}

/** Returns whether a token expires soon and can be renewed: AWS issued a refresh token with it, as it does for sessions with a name. */
export function isRenewalDue({ expiresAt, refreshToken, client }: SsoToken, session: SsoSession, now: number): boolean {
  if (session.session === undefined || !refreshToken || !client) return false
  const isRegistered = client.expiresAt === undefined || client.expiresAt > now
  return isRegistered && expiresAt - now < renewalWindowMs
}

/** In milliseconds: a registration or a sign-in with less life left is renewed, as in the AWS CLI. */
export const renewalWindowMs = 15 * 60_000

/** Parses a time that any of the AWS tools has written, to milliseconds since the epoch; `undefined` for anything else. */
export function parseSsoTime(value: unknown): number | undefined {
  // AWS CLI versions before 2.0.5 wrote the name of the time zone.
  const ms = typeof value === 'string' ? Date.parse(value.replace(/UTC$/, 'Z')) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}
