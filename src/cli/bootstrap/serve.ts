import { readFile } from 'node:fs/promises'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { openRelease } from '../../bootstrap/open-release.ts'
import { type AuditSink, createAudit, type SubjectForm, subjectForms } from '../../bootstrap/serve/audit.ts'
import { openAuditFile, openSystemAudit, systemLogger } from '../../bootstrap/serve/audit-sinks.ts'
import {
  type Delivery,
  type PreparedRelease,
  prepareRelease,
  type ServedForm,
  servedForms,
} from '../../bootstrap/serve/prepare-release.ts'
import { type ReleaseEvent, startFollowingRelease } from '../../bootstrap/serve/release-follower.ts'
import { createServedSerial, openServedSerial, type ServedSerial } from '../../bootstrap/serve/served-serial.ts'
import { type PublicKey, parsePublicKeys } from '../../bootstrap/signed-line.ts'
import { expandHome } from '../../runtime/disk.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { LogEntry } from '../../verify/server/log.ts'
import type { Cli } from '../cli.ts'
import { createPolicyOptions, type PolicyFlags } from '../gateway/verifier/flags.ts'
import { createDeviceOptions, type DeviceFlags } from './device-options.ts'
import { hasSameSecrets, parseSecretPlace, readSecrets, type SecretPlace } from './served-secrets.ts'

/** `gatepass bootstrap serve`: serves until it is interrupted. */
export function addBootstrapServe(bootstrap: Command, cli: Cli): void {
  const command = bootstrap
    .command('serve')
    .description('give each person the configuration of a release, by the policy of the verifier')
  for (const option of createServeOptions()) command.addOption(option)
  command
    .addHelpText(
      'after',
      `
It answers GET with 200 and the document of whoever the token stands for, 304, 401, 403, or 503 with Retry-After. Release, policy and secrets are read again when they change; SIGHUP reads them at once and opens the audit again; SIGTERM ends it when requests in flight are answered. All of it: docs/configuration-server.md`,
    )
    .action(async (flags: ServeFlags) => runServe(cli, flags))
}

interface ServeFlags extends PolicyFlags, DeviceFlags {
  readonly release: string
  readonly publicKey: string
  readonly path: string
  readonly form: ServedForm
  readonly expiresSec: number
  readonly secret: readonly SecretPlace[]
  readonly decide?: true
  readonly state?: string
  readonly audit?: string
  readonly auditSubject: SubjectForm
}

function createServeOptions(): Option[] {
  const [policy, ...others] = createPolicyOptions({
    who: 'clients',
    port: 8794,
    adminPaths: '/healthz, /readyz and /metrics',
  })
  return [
    policy!,
    new Option(
      '--release <directory>',
      'the release to serve, which bootstrap release has written',
    ).makeOptionMandatory(),
    new Option('--public-key <file>', 'the keys that may have signed it, as PEM').makeOptionMandatory(),
    new Option('--path <path>', 'the only path that is answered').default('/bootstrap').argParser(parsePath),
    new Option('--form <form>', 'the form of the documents').default('nested').choices([...servedForms]),
    new Option('--expires-sec <number>', 'how long an answer counts, on the average')
      .default(3600)
      .argParser(parseExpiry),
    new Option(
      '--secret <place...>',
      'a secret that documents name {secret.NAME}: NAME=FILE, or NAME=keychain:SERVICE/ACCOUNT',
    )
      .default([])
      .argParser(collectSecret),
    new Option(
      '--decide',
      'answer 204 with the name of the document in x-document, for a web server that has the files',
    ).conflicts(['form', 'expiresSec', 'secret']),
    new Option(
      '--state <file>',
      'keep there which release was served, so that an older one stays refused after a restart',
    ),
    new Option(
      '--audit <file>',
      'write a line about each answer, and each step of a device sign-in, there; the word system stands for the log of the system',
    ),
    new Option('--audit-subject <form>', 'how the audit names a person').default('digest').choices([...subjectForms]),
    ...createDeviceOptions(),
    ...others,
  ]
}

function parsePath(text: string): string {
  if (/^(\/[\w.~-]+)+$/.test(text)) return text
  throw new InvalidArgumentError('expected a path such as /bootstrap or /user/bootstrap.')
}

/**
 * From a minute to a week: a client waits half a minute for one answer, so that a shorter expiry could be over on arrival, and a longer
 * one would leave a document in force that was taken back long ago. Our decision.
 */
function parseExpiry(text: string): number {
  const seconds = Number(text)
  if (/^\d{1,6}$/.test(text) && seconds >= 60 && seconds <= 604_800) return seconds
  throw new InvalidArgumentError('expected a number of seconds from 60 to 604800.')
}

function collectSecret(text: string, before: readonly SecretPlace[]): readonly SecretPlace[] {
  const place = parseSecretPlace(text)
  if (!place) throw new InvalidArgumentError('expected NAME=FILE, or NAME=keychain:SERVICE/ACCOUNT.')
  if (before.some(({ name }) => name === place.name)) throw new InvalidArgumentError(`${place.name} is named twice.`)
  return [...before, place]
}

/**
 * Serves until a signal ends it.
 * @throws {HelperError} for a policy, a key, an address or a file that cannot be used; a release that cannot be used is logged.
 */
async function runServe(cli: Cli, flags: ServeFlags): Promise<void> {
  // Other commands need no server.
  const { describeStart, openVerifier, readListenerSettings, serveUntilSignal } = await import(
    '../gateway/verifier/run-verifier.ts'
  )
  const { openDeviceListener } = await import('./open-device-listener.ts')
  const { createDeviceObserver } = await import('../../bootstrap/serve/device-outcomes.ts')
  const { startBootstrapServer } = await import('../../bootstrap/serve/start-bootstrap-server.ts')
  const { host } = cli
  const { now } = host.clock
  const keys = await readPublicKeys(expandHome(flags.publicKey, host.home))
  const listeners = await readListenerSettings(flags)
  const opened = await openVerifier(cli, flags)
  const { log, verifier, metrics, facts } = opened
  const tellError = (event: string) => (message: string) => log.tell({ level: 'error', event, message })
  let served: ServedSerial | undefined
  try {
    served = await openSerial(cli, flags, tellError('state'))
    const sink = await openSink(flags, tellError('audit'))
    const follower = await startFollowingRelease({
      now,
      read: createReleaseReader(cli, { keys, served, flags }),
      observe: (event) => log.tell(describeReleaseEvent(flags.release, event)),
    })
    const audit = createAudit(sink, { form: flags.auditSubject, now })
    try {
      const { path, expiresSec, tokenHeader: tokenHeaders } = flags
      const settings = { ...listeners, path, expiresSec, tokenHeaders, delivery: toDelivery(flags) }
      const observe = createDeviceObserver({ registry: metrics.registry, audit, follower, now })
      const device = await openDeviceListener(cli, flags, { verifier, log, observe })
      using _ = startRepeating(() => device?.expire())
      const parts = { verifier, metrics, facts, follower, served, audit, sink, log, now, settings, device }
      const server = await startBootstrapServer(parts)
      const look = () => {
        sink.reopen()
        void opened.look()
        void follower.look()
      }
      await serveUntilSignal(cli, server, { log, look, start: describeStart(server, flags, 'clients') })
    } finally {
      follower.close()
      await audit.close()
    }
  } finally {
    await served?.close()
    await opened.close()
  }
}

/** Does something every second, until it is disposed of. */
function startRepeating(work: () => void): Disposable {
  const timer = setInterval(work, 1000).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

async function readPublicKeys(path: string): Promise<readonly PublicKey[]> {
  const hint = 'name the .pub file that `gatepass bootstrap keygen` has written'
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new HelperError('not-configured', `${path} cannot be read (${cause.code})`, hint, { cause })
  })
  const keys = parsePublicKeys(text)
  if (keys.length > 0) return keys
  throw new HelperError('not-configured', `${path} does not hold public Ed25519 keys alone`, hint)
}

const noSink: AuditSink = { write: () => {}, lost: () => 0, reopen: () => {}, close: async () => {} }

async function openSink({ audit }: ServeFlags, tellTrouble: (cause: string) => void): Promise<AuditSink> {
  if (audit === undefined) return noSink
  return audit === 'system' ? openSystemAudit(systemLogger, tellTrouble) : openAuditFile(audit, tellTrouble)
}

async function openSerial(
  { host }: Cli,
  { state }: ServeFlags,
  tellTrouble: (cause: string) => void,
): Promise<ServedSerial> {
  return state === undefined ? createServedSerial() : openServedSerial(expandHome(state, host.home), tellTrouble)
}

function toDelivery({ decide }: ServeFlags): Delivery {
  return decide ? 'decision' : 'document'
}

interface ReaderParts {
  readonly keys: readonly PublicKey[]
  readonly served: ServedSerial
  readonly flags: ServeFlags
}

/** Reads the release and the secrets; gives back what is known if neither has changed. */
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

/** An event of the release folder as a line of the log; pure. */
function describeReleaseEvent(directory: string, event: ReleaseEvent): LogEntry {
  if ('failure' in event) {
    const { message: problem, hint } = event.failure
    const rest = event.kind === 'kept' ? 'the release before it is served on' : 'nothing is served'
    const message = `${directory} cannot be served, and ${rest}: ${problem}`
    return { level: 'error', event: 'release-refused', message, facts: { hint } }
  }
  const { pointer, current } = event.open
  const facts = { release: current.manifest.id, serial: pointer.serial, wave: pointer.wave, state: pointer.state }
  const message = event.kind === 'served' ? `${directory} is served` : `${directory} is served again`
  return { level: 'info', event: 'release', message, facts }
}
