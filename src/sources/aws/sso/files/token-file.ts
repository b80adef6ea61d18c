import { parseObject } from '../../../../runtime/parse-object.ts'
import { Secret } from '../../../../runtime/secret.ts'
import { isRegionName } from '../../files/region-name.ts'
import { renderPythonJson } from '../../shared-file/python-json.ts'
import type { SsoSession } from './sso-session.ts'
import { parseSsoTime, renderSsoTime } from './sso-time.ts'

/** The sign-in to a session, as its file holds it. Times are milliseconds since the epoch. */
export interface SsoToken {
  readonly accessToken: Secret
  readonly expiresAt: number
  /** Absent where AWS gave none: then only a person can renew the sign-in. */
  readonly refreshToken?: Secret | undefined
  /** The registered client to which the refresh token belongs. */
  readonly client?: SsoClient | undefined
  /** Where the person signed in. */
  readonly region?: string | undefined
}

/** A client that is registered with AWS. */
export interface SsoClient {
  readonly id: string
  readonly secret: Secret
  /** Absent in files of tools that did not write it. */
  readonly expiresAt?: number | undefined
}

/** Reads the file of a sign-in; `undefined` for anything that is none, which a new sign-in replaces. */
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

/** The file of a sign-in, to the byte as the AWS CLI writes it. AWS CLI 2.36, `SSOTokenFetcherAuth` and `SSOTokenProvider`. */
export function renderSsoToken(token: SsoToken, { startUrl, region }: Pick<SsoSession, 'startUrl' | 'region'>): string {
  const { accessToken, expiresAt, refreshToken, client } = token
  return renderPythonJson({
    startUrl,
    region: token.region ?? region,
    accessToken: accessToken.reveal(),
    expiresAt: renderSsoTime(expiresAt),
    clientId: client?.id,
    clientSecret: client?.secret.reveal(),
    registrationExpiresAt: client?.expiresAt === undefined ? undefined : renderSsoTime(client.expiresAt),
    refreshToken: refreshToken?.reveal(),
  })
}
