import { HelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import { Secret } from '../../../runtime/secret.ts'
import { parseObject } from '../../../runtime/values/json-value.ts'
import { changeSharedFile, readSharedFile, renderCliTime, renderPythonJson } from '../files/shared-file.ts'
import { interceptionHint } from '../request/foreign-answer.ts'
import { awsListener } from '../resolve-endpoint.ts'
import { describeService, type OidcParts, sendOidc } from './send-sso.ts'
import { describeSession, type SsoHome, type SsoSession, toCachePath } from './sso-session.ts'
import { parseSsoTime, renewalWindowMs, type SsoClient } from './stored-token.ts'

/**
 * Resolves the client for a sign-in: the one that the AWS CLI or an earlier sign-in has registered, else a new one, which is stored for
 * both.
 * @param refused The client that AWS has just refused, which is replaced.
 * @throws {SsoRefusal} or `HelperError`, as for any request; `not-configured` for a file that is not this user's own.
 */
export async function resolveRegisteredClient(
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
      const registration = await sendRegistration(request, parts)
      await file.write(renderRegistration(registration))
      return registration.client
    },
  })
  return client! // only `leave` may give `undefined`
}

interface RegistrationRequest {
  readonly session: SsoSession
  readonly grant: SsoGrant
  /** The address of the portal; see `fetchPortal`. */
  readonly issuerUrl: string
}

/** The inputs of a request for a registration. `region` is the portal's. */
interface RegistrationParts extends OidcParts {
  readonly host: Pick<Host, 'home' | 'clock'>
}

/** Chooses the scopes to ask for: those of the session, else the default of the AWS CLI. */
export function chooseScopes({ scopes }: Pick<SsoSession, 'scopes'>): readonly string[] {
  return scopes?.length ? scopes : ['sso:account:access']
}

/**
 * Locates the file in which the AWS CLI stores the client of a session (botocore of AWS CLI 2.36, `_registration_cache_key`).
 * @param region The region of the registration, which may differ from `sso_region` for an organization's own start URL.
 */
function toRegistrationPath({ session, startUrl, scopes }: SsoSession, region: string, host: SsoHome): string {
  const key = { region, scopes: scopes ?? null, session_name: session ?? null, startUrl, tool: 'botocore' }
  return toCachePath(renderPythonJson(key), host)
}

/** The content of a registration's file. */
interface SsoRegistration {
  readonly client: SsoClient & { readonly expiresAt: number }
  readonly scopes?: readonly string[] | undefined
  /** Absent for device authorization, as in the AWS CLI. */
  readonly grantTypes?: readonly string[] | undefined
}

/** Parses the file of a registration; `undefined` for any other text, which a new registration replaces. */
function parseRegistration(text: string): SsoRegistration | undefined {
  const { clientId, clientSecret, expiresAt: end, scopes, grantTypes } = parseObject(text) ?? {}
  const expiresAt = parseSsoTime(end)
  if (typeof clientId !== 'string' || typeof clientSecret !== 'string' || expiresAt === undefined) return undefined
  const client = { id: clientId, secret: new Secret(clientSecret), expiresAt }
  return { client, scopes: parseList(scopes), grantTypes: parseList(grantTypes) }
}

function parseList(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined
}

/** Returns whether a registration is for this grant, and does not expire during the sign-in. */
function isUsable({ client, grantTypes }: SsoRegistration, grant: SsoGrant, now: number): boolean {
  const isForCode = grantTypes?.includes('authorization_code') ?? false
  return client.expiresAt - now >= renewalWindowMs && isForCode === (grant === 'authorization_code')
}

async function sendRegistration(
  { session, grant, issuerUrl }: RegistrationRequest,
  parts: RegistrationParts,
): Promise<SsoRegistration> {
  const { scopes } = session
  const now = parts.host.clock.now()
  const forCode = {
    grantTypes: ['authorization_code', 'refresh_token'],
    redirectUris: awsListener.hosts.map((host) => `http://${host}${awsListener.path}`),
    issuerUrl,
    scopes: chooseScopes(session),
  }
  const forDevice = scopes?.length ? { scopes } : {}
  const members = {
    // The AWS CLI derives the name from the time for a session without one.
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

/** A grant for which a client can be registered. */
export type SsoGrant = 'authorization_code' | 'device_code'

/** Renders the file of a registration, byte for byte as the AWS CLI writes it. */
function renderRegistration({ client, scopes, grantTypes }: SsoRegistration): string {
  return renderPythonJson({
    clientId: client.id,
    clientSecret: client.secret.reveal(),
    expiresAt: renderCliTime(client.expiresAt),
    scopes,
    grantTypes,
  })
}
