import { join } from 'node:path'
import { toSha1 } from '../../../../runtime/digest.ts'
import type { Host } from '../../../../runtime/host.ts'
import { renderPythonJson } from '../../shared-file/python-json.ts'

/** What an SSO sign-in is for: the settings of a profile, or of the `sso-session` section that it names. */
export interface SsoSession {
  /** Name of the section; absent in the older form, where the profile itself holds the settings. */
  readonly session?: string | undefined
  readonly startUrl: string
  readonly region: string
  /** `sso_registration_scopes`; absent where there are none, which the AWS CLI tells from an empty list. */
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
  return toCachePath(toSha1(session ?? startUrl), host)
}

/**
 * The file in which the AWS CLI keeps the client that it registered for a session.
 * @param region Where the client is registered, which for a start URL of the organization's own may not be `sso_region`.
 * Botocore of AWS CLI 2.36, `_registration_cache_key`.
 */
export function toRegistrationPath({ session, startUrl, scopes }: SsoSession, region: string, host: SsoHome): string {
  const key = { region, scopes: scopes ?? null, session_name: session ?? null, startUrl, tool: 'botocore' }
  return toCachePath(toSha1(renderPythonJson(key)), host)
}

type SsoHome = Pick<Host, 'home'>

function toCachePath(digest: string, { home }: SsoHome): string {
  return join(home, '.aws', 'sso', 'cache', `${digest}.json`)
}
