import { join } from 'node:path'
import { sha1 } from '@noble/hashes/legacy.js'
import type { NetworkCall } from '../../../helper/define-helper.ts'
import type { Host } from '../../../runtime/host.ts'
import type { EndpointSettings } from '../endpoint-settings.ts'

/** The settings of an SSO sign-in: those of a profile, or of the `sso-session` section that it names. */
export interface SsoSession {
  /** Name of the section; absent in the older form, where the profile itself holds the settings. */
  readonly session?: string | undefined
  readonly startUrl: string
  readonly region: string
  /** `sso_registration_scopes`; absent if it is not set, which the AWS CLI distinguishes from an empty list. */
  readonly scopes?: readonly string[] | undefined
}

/** A session as messages name it. */
export function describeSession({ session, startUrl }: Pick<SsoSession, 'session' | 'startUrl'>): string {
  return `the SSO session "${session ?? startUrl}"`
}

/**
 * The file in which the AWS tools keep the sign-in to a session, named for the SHA-1 of the session's name, or of the start URL.
 * No setting moves it. Botocore 1.43, `SSOTokenLoader`.
 */
export function toTokenPath({ session, startUrl }: Pick<SsoSession, 'session' | 'startUrl'>, host: SsoHome): string {
  return toCachePath(session ?? startUrl, host)
}

/** The part of the host that decides where the files of the AWS tools stand. */
export type SsoHome = Pick<Host, 'home'>

/** The file of the AWS tools' cache for a key, named for its SHA-1. Loading `node:crypto` takes longer than computing it. */
export function toCachePath(key: string, { home }: SsoHome): string {
  const digest = Buffer.from(sha1(Buffer.from(key))).toString('hex')
  return join(home, '.aws', 'sso', 'cache', `${digest}.json`)
}

/** How long IAM Identity Center lets a person take, in seconds. The AWS CLI waits as long. */
export const signInLimitSec = 600

/** An SSO sign-in, with the locations in which it is made and renewed. */
export interface SsoSite {
  readonly session: SsoSession
  readonly endpoints: EndpointSettings
  /** The files in which its settings may be corrected. */
  readonly paths: string
  /** The hint for a person who has to sign in, imperative. */
  readonly renewalHint: string
}

/** The inputs for reading and renewing a sign-in. */
export interface SsoParts {
  readonly host: Pick<Host, 'home' | 'clock'>
  readonly call: NetworkCall
  readonly endpoints: EndpointSettings
  /** The region in which the sign-in is renewed. */
  readonly region: string
  /** See {@link SsoSite}. */
  readonly renewalHint: string
}
