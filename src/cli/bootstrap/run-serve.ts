import { type DeviceEvent, toDeviceAddresses } from '../../bootstrap/device/answer-client.ts'
import { DeviceGrants } from '../../bootstrap/device/device-grants.ts'
import { createDeviceListener, type DeviceListener } from '../../bootstrap/device/device-listener.ts'
import { createOrganizationProvider } from '../../bootstrap/device/organization-provider.ts'
import { openRelease } from '../../bootstrap/open-release.ts'
import { createDeviceObserver, openAnswerAudit } from '../../bootstrap/serve/audit.ts'
import { type Delivery, type PreparedRelease, prepareRelease } from '../../bootstrap/serve/prepare-release.ts'
import { type ReleaseEvent, startFollowingRelease } from '../../bootstrap/serve/release-follower.ts'
import { createServedSerial, openServedSerial, type ServedSerial } from '../../bootstrap/serve/served-serial.ts'
import { type ServedRelease, startBootstrapServer } from '../../bootstrap/serve/start-bootstrap-server.ts'
import type { PublicKey } from '../../bootstrap/signed-line.ts'
import { expandHome } from '../../runtime/disk.ts'
import { HelperError } from '../../runtime/failure.ts'
import { findServerSecret } from '../../runtime/files/read-key-file.ts'
import { createStreamFetch } from '../../runtime/network/stream-fetch.ts'
import type { Secret } from '../../runtime/secret.ts'
import type { LogEntry } from '../../verify/server/log.ts'
import type { ListenerSettings } from '../../verify/server/start-listeners.ts'
import type { AuditSink } from '../../verify/sinks/audit-sinks.ts'
import type { Cli } from '../cli.ts'
import { openAudit } from '../gateway/verifier/open-sinks.ts'
import { type OpenedVerifier, openVerifier } from '../gateway/verifier/open-verifier.ts'
import { checkedEntry, describeStart, serveUntilSignal } from '../gateway/verifier/serve-until-signal.ts'
import { readListenerSettings } from '../gateway/verifier/server-settings.ts'
import { readNetwork } from '../network.ts'
import { readPublicKeys } from './keys.ts'
import type { DeviceFlags, ServeFlags } from './serve-options.ts'
import { hasSameSecrets, readSecrets } from './served-secrets.ts'

/**
 * Serves until a signal ends it.
 * @throws {HelperError} for a policy, a key, an address or a file that cannot be used. A release that cannot be used is logged, or thrown
 * with `--check`.
 */
export async function runServe(cli: Cli, flags: ServeFlags): Promise<void> {
  const keys = await readPublicKeys(expandHome(flags.publicKey, cli.host.home))
  if (flags.check) return checkServing(cli, flags, keys)
  const listeners = await readListenerSettings(flags, cli.host.env)
  const verifier = await openVerifier(cli, flags)
  try {
    const released = await openReleased(cli, flags, { keys, log: verifier.log })
    try {
      await runServer(cli, flags, { listeners, verifier, released })
    } finally {
      await released.close()
    }
  } finally {
    await verifier.close()
  }
}

/** Reads everything that serving needs, except the addresses and `--state`, which a running server uses. */
async function checkServing(cli: Cli, flags: ServeFlags, keys: readonly PublicKey[]): Promise<void> {
  const verifier = await openVerifier(cli, flags)
  try {
    const served = createServedSerial()
    await createReleaseReader(cli, { keys, served, flags })(undefined)
    await openDeviceListener(cli, flags, { ...verifier, observe: () => {} })
    const sink = await openAudit(flags, cli.host, { log: verifier.log, service })
    await sink?.close()
    verifier.log.tell(checkedEntry)
  } finally {
    await verifier.close()
  }
}

/**
 * Opens device sign-ins; `undefined` if they are not configured.
 * @throws {HelperError} `usage` for options that do not go together, `not-configured` for a missing secret.
 */
async function openDeviceListener(
  { host }: Cli,
  flags: DeviceFlags & { readonly path: string },
  { verifier, log, observe }: Pick<OpenedVerifier, 'verifier' | 'log'> & { observe(event: DeviceEvent): void },
): Promise<DeviceListener | undefined> {
  const { deviceOrigin: origin, deviceIssuer: issuer, deviceClientId: clientId, deviceClientSecretFile: file } = flags
  const given = [origin, issuer, clientId, file].filter((value) => value !== undefined)
  if (given.length === 0) return undefined
  if (origin === undefined || issuer === undefined || clientId === undefined || file === undefined)
    throw new HelperError(
      'usage',
      'device sign-ins need four options',
      'pass --device-origin, --device-issuer, --device-client-id and --device-client-secret-file, or none of them',
    )
  const path = expandHome(file, host.home)
  const readSecret = () => readClientSecret(path)
  await readSecret()
  const { now } = host.clock
  const addresses = toDeviceAddresses(origin, flags.path)
  const provider = createOrganizationProvider({
    issuer,
    clientId,
    readSecret,
    now,
    scope: flags.deviceScope,
    token: flags.deviceToken,
    resource: flags.deviceResource,
    redirectUri: `${origin}${addresses.callback}`,
    fetch: createStreamFetch({ network: await readNetwork(host) }),
  })
  return createDeviceListener({ addresses, grants: new DeviceGrants(now), provider, verifier, log, now, observe })
}

async function readClientSecret(path: string): Promise<Secret> {
  const secret = await findServerSecret(path)
  if (secret) return secret
  throw new HelperError(
    'not-configured',
    `the file ${path}, which should hold the secret of this server, does not exist or is empty`,
    'put the secret there, or correct --device-client-secret-file',
  )
}

interface OpenedRelease extends ServedRelease {
  readonly sink: AuditSink
  close(): Promise<void>
}

async function openReleased(
  cli: Cli,
  flags: ServeFlags,
  given: Pick<ReleaseParts, 'keys' | 'log'>,
): Promise<OpenedRelease> {
  const tellTrouble = (message: string) => given.log.tell({ level: 'error', event: 'state', message })
  const served = await (flags.state === undefined
    ? createServedSerial()
    : openServedSerial(expandHome(flags.state, cli.host.home), tellTrouble))
  try {
    return await openFollower(cli, flags, { ...given, served })
  } catch (error) {
    await served.close()
    throw error
  }
}

interface ReleaseParts {
  readonly keys: readonly PublicKey[]
  readonly log: OpenedVerifier['log']
  readonly served: ServedSerial
}

/** Opens the audit, and follows the release from now on. */
async function openFollower(cli: Cli, flags: ServeFlags, { keys, log, served }: ReleaseParts): Promise<OpenedRelease> {
  const { now } = cli.host.clock
  const sink = (await openAudit(flags, cli.host, { log, service })) ?? noSink
  const follower = await startFollowingRelease({
    now,
    read: createReleaseReader(cli, { keys, served, flags }),
    observe: (event) => log.tell(describeReleaseEvent(flags.release, event)),
    intervalMs: 400, // a change is served within a second
  })
  const audit = openAnswerAudit(sink, { form: flags.auditSubject, now })
  const close = async () => {
    follower.close()
    await audit.close()
    await served.close()
  }
  return { follower, served, sink, audit, close }
}

const service = 'gatepass-configuration-server'

const noSink: AuditSink = {
  write: () => {},
  isFailing: () => false,
  lost: () => 0,
  reopen: () => {},
  close: async () => {},
}

interface ReaderParts {
  readonly keys: readonly PublicKey[]
  readonly served: ServedSerial
  readonly flags: ServeFlags
}

/** Creates a reader of the release and the secrets, which returns the known ones if neither has changed. */
function createReleaseReader({ host }: Cli, { keys, served, flags }: ReaderParts) {
  const { release, form, secret } = flags
  const delivery = toDelivery(flags)
  return async (known: PreparedRelease | undefined): Promise<PreparedRelease> => {
    const open = await openRelease(release, keys, {
      lowestSerial: served.highest(),
      ...(known && { known: known.open }),
    })
    const isKnown = open === known?.open
    const secrets = await readSecrets(host, secret, isKnown ? known.secrets : undefined)
    const isSame = isKnown && hasSameSecrets(known.secrets, secrets)
    const prepared = isSame ? known : await prepareRelease(open, { form, secrets, delivery })
    await served.keep(open.pointer.serial)
    return prepared
  }
}

function toDelivery({ decide }: ServeFlags): Delivery {
  return decide ? 'decision' : 'document'
}

/** Describes an event of the release folder for the log; pure. */
function describeReleaseEvent(directory: string, event: ReleaseEvent): LogEntry {
  if ('failure' in event) {
    const { message: problem, hint } = event.failure
    const consequence = event.kind === 'kept' ? 'the release before it is served on' : 'nothing is served'
    const message = `${directory} cannot be served, and ${consequence}: ${problem}`
    return { level: 'error', event: 'release-refused', message, facts: { hint } }
  }
  const { pointer, current } = event.open
  const facts = { release: current.manifest.id, serial: pointer.serial, wave: pointer.wave, state: pointer.state }
  const message = event.kind === 'served' ? `${directory} is served` : `${directory} is served again`
  return { level: 'info', event: 'release', message, facts }
}

interface ServingParts {
  readonly listeners: ListenerSettings
  readonly verifier: OpenedVerifier
  readonly released: OpenedRelease
}

async function runServer(
  cli: Cli,
  flags: ServeFlags,
  { listeners, verifier: opened, released }: ServingParts,
): Promise<void> {
  const { now } = cli.host.clock
  const { log, verifier, metrics } = opened
  const { follower, sink, audit } = released
  const { path, expiresSec, tokenHeader: tokenHeaders } = flags
  const settings = { ...listeners, path, expiresSec, tokenHeaders, delivery: toDelivery(flags) }
  const observe = createDeviceObserver({ registry: metrics.registry, audit, follower, now })
  const device = await openDeviceListener(cli, flags, { verifier, log, observe })
  using _ = startRepeating(() => device?.expire())
  const server = await startBootstrapServer(opened, released, { settings, now, device })
  const look = () => {
    sink.reopen()
    return Promise.all([opened.look(), follower.look()])
  }
  await serveUntilSignal(cli, server, { log, look, start: describeStart(server, flags, 'clients') })
}

/** Runs work every second until it is disposed. */
function startRepeating(work: () => void): Disposable {
  const timer = setInterval(work, 1000).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
