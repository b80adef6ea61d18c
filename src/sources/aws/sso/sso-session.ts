import { join } from 'node:path'
import { sha1 } from '@noble/hashes/legacy.js'
import type { NetworkCall } from '../../../helper/define-helper.ts'
import type { Host } from '../../../runtime/host.ts'
import type { EndpointSettings } from '../endpoint-settings.ts'
import { locateToolDirectory } from '../files/aws-files.ts'

/** The settings of an SSO sign-in: those of a profile, or of the `sso-session` section that it names. */
export interface SsoSession {
  /** The name of the `sso-session` section; absent in the older form, in which the profile itself has the settings. */
  readonly session?: string | undefined
  readonly startUrl: string
  readonly region: string
  /** `sso_registration_scopes`; absent if it is not set, which the AWS CLI distinguishes from an empty list. */
  readonly scopes?: readonly string[] | undefined
}

/** Names a session in messages. */
export function describeSession({ session, startUrl }: Pick<SsoSession, 'session' | 'startUrl'>): string {
  return `the SSO session "${session ?? startUrl}"`
}

/**
 * Locates the file in which the AWS tools store the sign-in to a session. Its name is the SHA-1 of the session's name, or of the start URL,
 * and no setting moves it (botocore 1.43, `SSOTokenLoader`).
 */
export function toTokenPath({ session, startUrl }: Pick<SsoSession, 'session' | 'startUrl'>, host: SsoHome): string {
  return toCachePath(session ?? startUrl, host)
}

/** The part of the host that locates the files of the AWS tools. */
export type SsoHome = Pick<Host, 'home'>

/**
 * Locates the file of the AWS tools' cache for a key, whose SHA-1 is its name. The digest is computed in JavaScript, because loading
 * `node:crypto` takes longer.
 */
export function toCachePath(key: string, { home }: SsoHome): string {
  const digest = Buffer.from(sha1(Buffer.from(key))).toString('hex')
  return join(locateToolDirectory(home), 'sso', 'cache', `${digest}.json`)
}

/** In seconds: how long a person may take to sign in to AWS. IAM Identity Center accepts its code for so long, and the AWS CLI waits as long. */
export const signInLimitSec = 600

/** An SSO sign-in, with the locations in which it is made and renewed. */
export interface SsoSite {
  readonly session: SsoSession
  readonly endpoints: EndpointSettings
  /** The files with its settings, for hints. */
  readonly paths: string
  /** The hint for a person who has to sign in, imperative. */
  readonly renewalHint: string
}

/** The inputs for reading and renewing a sign-in. */
export interface SsoParts {
  readonly host: Pick<Host, 'home' | 'clock'>
  readonly call: NetworkCall
  readonly endpoints: EndpointSettings
  /** The region of the sign-in service. */
  readonly region: string
  /** See {@link SsoSite}. */
  readonly renewalHint: string
}
