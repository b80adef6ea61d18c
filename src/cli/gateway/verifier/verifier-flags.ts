import { InvalidArgumentError, Option } from 'commander'
import { isHeaderName } from '../../../contract/headers.ts'
import { isPlainLoopback } from '../../../runtime/network/addresses.ts'
import { defaultReplayEntries } from '../../../verify/replay/memory-replay-store.ts'
import { defaultRedisPrefix } from '../../../verify/replay/redis-address.ts'
import type { CountingPlace } from '../../../verify/request-limits.ts'
import { revocationsSummary, type UnknownRevocations } from '../../../verify/revocation/revocations.ts'
import {
  type GivenAddress,
  parseListenAddress,
  usualPorts,
  verifierSocket,
} from '../../../verify/server/listen-address.ts'
import type { LogFormat } from '../../../verify/server/log.ts'
import type { AuditFailing } from '../../../verify/server/start-verifier-server.ts'
import { type RequestDescription, requestDescriptions } from '../../../verify/server/to-request-facts.ts'
import { defaultLimits } from '../../../verify/verifier/verifier.ts'
import { programName } from '../../../version.ts'

/** The options of `gatepass gateway verifier`. */
export interface VerifierFlags extends Omit<PolicyFlags, 'policy'>, AuditFlags {
  /** Exactly one of this and `tenants` is set. */
  readonly policy?: string
  readonly tenants?: string
  readonly grpcListen?: GivenAddress
  readonly processes: number
  readonly tlsCert?: string
  readonly tlsKey?: string
  readonly clientCa?: string
  readonly clientName?: readonly string[]
  readonly introspectionSecretFile?: string
  readonly auditFailing: AuditFailing
  readonly logAccepted?: true
  readonly traces?: string
  readonly tracesHeadersFile?: string
  readonly tracesSubject?: true
  readonly requestFrom: RequestDescription
  readonly modelHeader?: string
  readonly clientCertHeader?: string
}

/** The options of every server that has an audit. */
export interface AuditFlags {
  /** A path, `system`, or `otlp:` and an address. */
  readonly audit?: string
  readonly auditHeadersFile?: string
}

/** The options of every server that decides by a policy. */
export interface PolicyFlags {
  readonly policy: string
  readonly listen: GivenAddress
  readonly adminListen?: GivenAddress
  readonly socketMode: number
  readonly socketGroup?: string
  readonly tokenHeader: readonly string[]
  readonly redis?: string
  readonly redisPasswordFile?: string
  readonly redisPrefix: string
  readonly stsStandIn?: URL
  readonly cacheSec: number
  readonly cacheEntries: number
  readonly replayEntries: number
  /** Paths of files, or `redis`. */
  readonly revocations: readonly string[]
  readonly revocationsUnknown: UnknownRevocations
  readonly providerSecrets?: string
  readonly limits: CountingPlace
  readonly drainSec: number
  readonly check?: true
  readonly log?: LogFormat
}

/** Creates every option of `gatepass gateway verifier`, in the order of the help. */
export function createVerifierOptions(): Option[] {
  return [
    new Option('--policy <file>', policySummary),
    new Option(
      '--tenants <file>',
      'in place of --policy: several of them, by host or header: docs/gateways/tenants.md',
    ),
    ...createSharedOptions({
      who: 'gateways',
      port: usualPorts.verifier,
      adminPaths: '/healthz, /readyz, /metrics and /introspect',
    }),
    new Option(
      '--grpc-listen <address>',
      "where Envoy asks over gRPC: ext_authz of Envoy, Istio and others, and gRPC's own health check (default: nowhere)",
    ).argParser(parseAddress),
    new Option('--request-from <form>', 'where the gateway describes the request, for rules with a request')
      .choices(requestDescriptions)
      .default('nothing'),
    new Option('--model-header <name>', 'the header in which the gateway, and no caller, names the model').argParser(
      parseHeaderName,
    ),
    new Option(
      '--client-cert-header <name>',
      "the header in which the gateway, and no caller, passes the caller's certificate on, for tokens that are bound to it",
    ).argParser(parseHeaderName),
    new Option('--processes <number>', 'how many processes share the addresses, such as one for each core')
      .default(1)
      .argParser(parseProcesses),
    new Option(
      '--tls-cert <file>',
      'the certificate of --listen and --grpc-listen, with those of its authorities, in PEM',
    ),
    new Option('--tls-key <file>', 'its key, in PEM; both files are read again when they change'),
    new Option('--client-ca <file>', 'the authority of the certificates that gateways have to present, in PEM'),
    new Option(
      '--client-name <name...>',
      'the DNS names and URIs of the gateways that may ask (default: all of that authority)',
    ),
    new Option('--introspection-secret-file <file>', 'the secret that /introspect asks for, on one line'),
    new Option('--log-accepted', 'log also who passes'),
    new Option('--traces <url>', 'send a span of each decision to this OpenTelemetry collector, over OTLP/HTTP'),
    new Option('--traces-headers-file <file>', 'headers that the collector asks for, such as a key, one in each line'),
    new Option('--traces-subject', 'name the owner of the token in spans'),
    ...createAuditOptions('each decision'),
    new Option('--audit-failing <what>', 'what becomes of tokens while the audit cannot be written')
      .choices(['pass', 'refuse'] satisfies AuditFailing[])
      .default('pass' satisfies AuditFailing),
  ]
}

/**
 * Creates the options for an audit.
 * @param recorded The events with a line.
 */
export function createAuditOptions(recorded: string): Option[] {
  const places = 'in this file, with system in the log of the system, or with otlp:URL at an OpenTelemetry collector'
  return [
    new Option('--audit <where>', `record ${recorded} ${places}`),
    new Option('--audit-headers-file <file>', "the headers that the collector requires, a line 'Name: value' each"),
  ]
}

/** The words in which servers with a policy differ. */
interface ServerWords {
  /** The clients of `--listen`. */
  readonly who: string
  readonly port: number
  readonly adminPaths: string
}

const policySummary = 'who may pass: docs/gateways/policy.md'

/** Creates the options of every server that decides by one policy. */
export function createPolicyOptions(words: ServerWords): Option[] {
  return [new Option('--policy <file>', policySummary).makeOptionMandatory(), ...createSharedOptions(words)]
}

function createSharedOptions({ who, port, adminPaths }: ServerWords): Option[] {
  return [
    new Option(
      '--listen <address>',
      `where ${who} ask: HOST:PORT, *:PORT for every address, the path of a Unix socket, or systemd[:NAME] for a socket that systemd passes`,
    )
      .default({ kind: 'tcp', host: '127.0.0.1', port } satisfies GivenAddress, `127.0.0.1:${port}`)
      .argParser(parseAddress),
    new Option('--admin-listen <address>', `where you ask for ${adminPaths} (default: nowhere)`).argParser(
      parseAddress,
    ),
    new Option('--socket-mode <octal>', 'who may connect to a Unix socket').default(0o660, '660').argParser(parseMode),
    new Option('--socket-group <group>', 'the group of a Unix socket, by name or number, such as that of the gateway'),
    new Option('--token-header <name...>', 'the headers that may hold the token')
      .default(['authorization'], 'authorization')
      .argParser(createCollect()),
    new Option('--redis <url>', 'the Redis or Valkey in which several verifiers remember used tokens'),
    createRedisPasswordOption(),
    createRedisPrefixOption(),
    new Option('--replay-entries <number>', 'how many used tokens are remembered without Redis')
      .default(defaultReplayEntries)
      .argParser(parseCount),
    new Option('--revocations <where...>', revocationsSummary).default([], 'nothing'),
    new Option('--revocations-unknown <what>', 'what becomes of tokens while such a list cannot be read')
      .choices(['refuse', 'pass'] satisfies UnknownRevocations[])
      .default('refuse' satisfies UnknownRevocations),
    new Option(
      '--provider-secrets <directory>',
      'the secrets for providers that are asked about tokens (default: beside the policy)',
    ),
    new Option('--limits <where>', 'where requests are counted for the limits of the policy')
      .choices(['process', 'redis'] satisfies CountingPlace[])
      .default('process' satisfies CountingPlace),
    new Option(
      '--sts-stand-in <url>',
      `for trials only: ask this loopback address instead of AWS STS (${programName} gateway sts)`,
    ).argParser(parseStandIn),
    new Option('--cache-sec <number>', 'how long a JWT passes without looking at the keys of its issuer again')
      .default(defaultLimits.cacheSec)
      .argParser(parseCount),
    new Option('--cache-entries <number>', 'how many tokens are remembered')
      .default(defaultLimits.cacheEntries)
      .argParser(parseCount),
    new Option('--drain-sec <number>', 'how long requests may take after SIGTERM').default(10).argParser(parseCount),
    new Option(
      '--check',
      'read everything as a start does, say what is wrong, and end: for a server that runs already',
    ),
    new Option('--log <format>', 'the form of the log (default: text on a terminal, json elsewhere)').choices([
      'text',
      'json',
    ]),
  ]
}

/** @throws {InvalidArgumentError} for anything but an address. */
export function parseAddress(text: string): GivenAddress {
  const address = parseListenAddress(text)
  if (address) return address
  const port = usualPorts.verifier
  throw new InvalidArgumentError(
    `expected HOST:PORT such as 127.0.0.1:${port} or [::1]:${port}, *:${port}, or a path such as ${verifierSocket}.`,
  )
}

function parseMode(text: string): number {
  if (/^0?[0-7]{3}$/.test(text)) return Number.parseInt(text, 8)
  throw new InvalidArgumentError('expected three octal digits such as 660.')
}

/**
 * Parses a header's name to lower case.
 * @throws {InvalidArgumentError} for another text.
 */
function parseHeaderName(name: string): string {
  if (!isHeaderName(name)) throw new InvalidArgumentError('expected the name of a header.')
  return name.toLowerCase()
}

function parseProcesses(text: string): number {
  if (/^([1-9]|[1-5]\d|6[0-4])$/.test(text)) return Number(text)
  throw new InvalidArgumentError('expected a whole number from 1 to 64.')
}

/** Collects names in lower case; the first one replaces the default. */
function createCollect(): (name: string) => string[] {
  const names: string[] = []
  return (name) => {
    names.push(parseHeaderName(name))
    return names
  }
}

function parseCount(text: string): number {
  if (/^\d{1,7}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('expected a whole number.')
}

/** Parses an address of this machine: the stand-in determines every caller's identity, so it must not be on another machine. */
function parseStandIn(text: string): URL {
  const url = URL.parse(text)
  if (url && isPlainLoopback(url) && url.href === `${url.origin}/`) return url
  throw new InvalidArgumentError(`expected an address of this machine such as http://127.0.0.1:${usualPorts.sts}.`)
}

export function createRedisPasswordOption(): Option {
  return new Option('--redis-password-file <file>', 'the password of Redis, on one line')
}

/** Creates the option for the beginning of keys, which tells those of these verifiers from others in the same Redis. */
export function createRedisPrefixOption(): Option {
  return new Option('--redis-prefix <text>', 'what the keys in Redis begin with').default(defaultRedisPrefix)
}

/** The hint where Redis is needed and none is named. */
export const unnamedRedisHint = 'name it: --redis redis://HOST:6379'
