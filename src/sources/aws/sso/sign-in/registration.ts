import { HelperError } from '../../../../runtime/failure.ts'
import type { Host } from '../../../../runtime/host.ts'
import { Secret } from '../../../../runtime/secret.ts'
import { interceptionHint } from '../../sdk/interception-hint.ts'
import { changeSharedFile } from '../../shared-file/change-shared-file.ts'
import { readSharedFile } from '../../shared-file/read-shared-file.ts'
import {
  isUsable,
  parseRegistration,
  renderRegistration,
  type SsoGrant,
  type SsoRegistration,
} from '../files/registration-file.ts'
import { describeSession, type SsoSession, toRegistrationPath } from '../files/sso-session.ts'
import type { SsoClient } from '../files/token-file.ts'
import { type OidcParts, sendOidc } from '../requests/send-oidc.ts'
import { describeService } from '../requests/send-sso.ts'

/** What a registration is for. */
export interface RegistrationRequest {
  readonly session: SsoSession
  readonly grant: SsoGrant
  /** The portal behind the start URL. */
  readonly issuerUrl: string
}

/** What asking for a registration needs. Its region is the portal's. */
export interface RegistrationParts extends OidcParts {
  readonly host: Pick<Host, 'home' | 'clock'>
}

/**
 * The client with which a sign-in begins: the one that the AWS CLI or an earlier sign-in registered, or a new one, which is kept
 * for both.
 * @param refused The client that AWS has just refused, and that is replaced.
 * @throws {OidcRefusal} or `HelperError`, as for any request; `not-configured` for a file that is not this user's own.
 */
export async function resolveClient(
  request: RegistrationRequest,
  parts: RegistrationParts,
  refused?: SsoClient,
): Promise<SsoClient> {
  const { host, call, region } = parts
  const path = toRegistrationPath(request.session, region, host)
  const parse = (text: string | undefined) => {
    const found = text === undefined ? undefined : parseRegistration(text)
    const isKept = found && found.client.id !== refused?.id && isUsable(found, request.grant, host.clock.now())
    return isKept ? found.client : undefined
  }
  const read = async () => parse(await readSharedFile(path))
  const known = await call.deadline.during('file', `reading ${path}`, read)
  if (known) return known
  const client = await changeSharedFile(path, call.deadline, {
    otherRun: `another run that registers a client for ${describeSession(request.session)}`,
    whenBusy: 'wait',
    find: read,
    make: async (file) => {
      const written = parse(await file.read())
      if (written) return written
      const registration = await register(request, parts)
      await file.write(renderRegistration(registration))
      return registration.client
    },
  })
  return client! // only with `leave` there may be none
}

/** What is asked for where nothing is configured, as by the AWS CLI. */
export const defaultScopes = ['sso:account:access']

async function register(
  { session, grant, issuerUrl }: RegistrationRequest,
  parts: RegistrationParts,
): Promise<SsoRegistration> {
  const { scopes } = session
  const now = parts.host.clock.now()
  const forCode = {
    grantTypes: ['authorization_code', 'refresh_token'],
    redirectUris: ['http://127.0.0.1/oauth/callback'],
    issuerUrl,
    scopes: scopes?.length ? scopes : defaultScopes,
  }
  const forDevice = scopes?.length ? { scopes } : {}
  const members = {
    // The AWS CLI names a session without a name by the time.
    clientName: `botocore-client-${session.session ?? Math.floor(now / 1000)}`,
    clientType: 'public',
    ...(grant === 'authorization_code' ? forCode : forDevice),
  }
  const answer = await sendOidc('RegisterClient', members, parts)
  const { clientId: id, clientSecret: secret, clientSecretExpiresAt: endSec } = answer
  if (typeof id !== 'string' || typeof secret !== 'string' || typeof endSec !== 'number')
    throw new HelperError('unavailable', `${describeService(parts.region)} registered no client`, interceptionHint)
  const client = { id, secret: new Secret(secret), expiresAt: endSec * 1000 }
  return grant === 'authorization_code'
    ? { client, scopes: forCode.scopes, grantTypes: forCode.grantTypes }
    : { client, ...forDevice }
}
