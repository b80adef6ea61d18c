import { createServer } from 'node:http'
import { listenOnLoopback } from '../../setup/loopback.ts'
import type { SigningKey } from '../bedrock/sigv4-verify.ts'
import { type AwsIdentities, createAwsIdentities } from './aws-identities.ts'
import { createAwsListener, type RecordedRequest } from './aws-listener.ts'
import type { AwsOperation } from './aws-operation.ts'
import { createConsoleSignIn, type LoginCacheEntry } from './login/console-sign-in.ts'
import { type ContainerRole, containerPath, createMetadataServices } from './metadata-services.ts'
import type { OutboundIdentity } from './outbound-identity.ts'
import { createPersonPages } from './pages/person-pages.ts'
import { createScriptedFailures, type ScriptedFailures } from './scripted-failures.ts'
import { createSso, type Sso, type SsoCacheEntry } from './sso/sso.ts'
import type { SsoSession } from './sso/sso-tokens.ts'
import { createStoredValues, type StoredValues } from './stored-values.ts'
import { createSts } from './sts.ts'
import type { IdentityProvider } from './web-identity.ts'

/** AWS on loopback. Disposing of it throws after an unscripted request; `close` does not. */
export interface AwsStandIn
  extends AsyncDisposable,
    Pick<AwsIdentities, 'addAccessKey' | 'addRole'>,
    StoredValues,
    Omit<ScriptedFailures, 'take'> {
  url: string
  /** Variables that point every AWS client of a process here. */
  environment: Record<string, string>
  /** In the order in which they were answered. */
  requests: readonly RecordedRequest[]
  /** How far the services' clock is ahead of this machine's. */
  setClockOffset(ms: number): void
  /** For a gateway that verifies what issued credentials sign. */
  secretOf(accessKeyId: string): SigningKey | undefined
  addIdentityProvider(provider: IdentityProvider): void
  /** The signer of the identity tokens of `GetWebIdentityToken`. */
  outboundIdentity: OutboundIdentity
  addSsoSession(session: SsoSession): SsoCacheEntry
  /** The portals, clients and devices of IAM Identity Center. */
  sso: Omit<Sso, 'operations'>
  addLoginSession(session: { arn: string; expiresAt: Date }): LoginCacheEntry
  /** The person who is signed in to the console in the browser. */
  setPerson(arn: string): void
  /** From now on, whoever gives access in the browser is asked for a second factor too. */
  requireSecondFactor(): void
  /** Returns the variables that a process in the container has beside `environment`. */
  addContainerRole(role: ContainerRole): Record<string, string>
  addInstanceRole(role: { arn: string }): void
  close(): Promise<void>
}

export async function startAwsStandIn({ now = () => Date.now() } = {}): Promise<AwsStandIn> {
  let offsetMs = 0
  const world = { now: () => new Date(now() + offsetMs), identities: createAwsIdentities() }
  const requests: RecordedRequest[] = []
  const operations: AwsOperation[] = []
  const { take, ...failures } = createScriptedFailures()
  const server = createServer(createAwsListener({ now: world.now, operations, takeFailure: take, requests }))
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}`

  const sts = createSts(world)
  const { operations: readings, ...storedValues } = createStoredValues(world)
  const pages = createPersonPages()
  const sso = createSso(world, url, pages)
  const signIn = createConsoleSignIn(world, url, pages)
  const metadata = createMetadataServices(world)
  const services = [sts, sso, signIn, metadata, pages]
  operations.push(...services.flatMap((service) => service.operations), ...readings)

  const close = () =>
    new Promise<void>((closed) => {
      server.close(() => closed())
      server.closeAllConnections()
    })

  return {
    url,
    environment: {
      AWS_ENDPOINT_URL_STS: url,
      AWS_ENDPOINT_URL_SSO: url,
      AWS_ENDPOINT_URL_SSO_OIDC: url,
      AWS_ENDPOINT_URL_SIGNIN: url,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: url,
      AWS_ENDPOINT_URL_SSM: url,
      AWS_EC2_METADATA_SERVICE_ENDPOINT: url,
    },
    requests,
    ...failures,
    setClockOffset: (ms) => {
      offsetMs = ms
    },
    addAccessKey: world.identities.addAccessKey,
    addRole: world.identities.addRole,
    secretOf: world.identities.findKey,
    ...storedValues,
    addIdentityProvider: sts.addIdentityProvider,
    outboundIdentity: sts.outboundIdentity,
    addSsoSession: sso.addSession,
    sso,
    addLoginSession: signIn.addSession,
    setPerson: signIn.setPerson,
    requireSecondFactor: pages.requireSecondFactor,
    addContainerRole: (role) => {
      metadata.setContainerRole(role)
      const token = role.authorizationToken
      return {
        AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}${containerPath}`,
        ...(token !== undefined && { AWS_CONTAINER_AUTHORIZATION_TOKEN: token }),
      }
    },
    addInstanceRole: metadata.setInstanceRole,
    close,
    [Symbol.asyncDispose]: async () => {
      await close()
      const unscripted = requests.filter(({ status }) => status === 501)
      const list = unscripted.map(({ operation, parameters }) => `${operation} ${JSON.stringify(parameters)}`)
      if (list.length > 0) throw new Error(`nobody scripted an answer to ${list.join(', ')}`)
    },
  }
}
