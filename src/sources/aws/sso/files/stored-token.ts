import { setTimeout as sleep } from 'node:timers/promises'
import type { Deadline } from '../../../../runtime/deadline.ts'
import { HelperError } from '../../../../runtime/failure.ts'
import type { Host } from '../../../../runtime/host.ts'
import { changeSharedFile } from '../../shared-file/change-shared-file.ts'
import { readSharedFile } from '../../shared-file/read-shared-file.ts'
import { describeSession, type SsoSession, toTokenPath } from './sso-session.ts'
import { parseSsoToken, renderSsoToken, type SsoToken } from './token-file.ts'

/**
 * The sign-in to a session that is stored, by whichever tool; `undefined` where there is none. A damaged file counts as a missing
 * one, because a new sign-in fixes both.
 * @throws {HelperError} `not-configured` for a file that is not this user's own.
 */
export async function readStoredToken(session: SsoSession, host: Pick<Host, 'home'>): Promise<SsoToken | undefined> {
  const path = toTokenPath(session, host)
  const text = await readSharedFile(path)
  const token = text === undefined ? undefined : parseSsoToken(text)
  if (text === undefined || token) return token
  // The AWS CLI writes its files in place, and may be in the middle of it.
  await sleep(writingMs)
  return parseSsoToken((await readSharedFile(path)) ?? '')
}

/** How long the AWS CLI may take to write a file, in milliseconds. Our decision. */
const writingMs = 100

/** Stores a new sign-in in the place of whatever was there. @throws {HelperError} where it cannot be stored. */
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

/** A failure that the sign-in of a person ends. */
export function toSignInError(session: SsoSession, how: string, hint: string, cause?: unknown): HelperError {
  return new HelperError('sign-in-required', `${describeSession(session)} ${how}`, hint, { cause })
}
