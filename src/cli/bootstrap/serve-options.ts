import { InvalidArgumentError, Option } from 'commander'
import { documentHeader, expirySec } from '../../bootstrap/serve/answer-identity.ts'
import { type SubjectForm, subjectForms } from '../../bootstrap/serve/audit.ts'
import { type ServedForm, servedForms } from '../../bootstrap/serve/prepare-release.ts'
import { type BearerTokenType, bearerTokenTypes } from '../../contract/oauth-names.ts'
import { isSecureAddress } from '../../runtime/network/addresses.ts'
import { usualPorts } from '../../verify/server/listen-address.ts'
import {
  type AuditFlags,
  createAuditOptions,
  createPolicyOptions,
  type PolicyFlags,
} from '../gateway/verifier/verifier-flags.ts'
import { parseServedSecretLocation, type ServedSecretLocation } from './served-secrets.ts'

/** The options of `gatepass bootstrap serve`. */
export interface ServeFlags extends PolicyFlags, AuditFlags, DeviceFlags {
  readonly release: string
  readonly publicKey: string
  readonly path: string
  readonly form: ServedForm
  readonly expiresSec: number
  readonly secret: readonly ServedSecretLocation[]
  readonly decide?: true
  readonly state?: string
  readonly auditSubject: SubjectForm
}

/** The options of device sign-ins. */
export interface DeviceFlags {
  readonly deviceOrigin?: string
  readonly deviceIssuer?: string
  readonly deviceClientId?: string
  readonly deviceClientSecretFile?: string
  readonly deviceScope: string
  readonly deviceToken: BearerTokenType
  readonly deviceResource?: string
}

/** Creates these options, in the order of the help. */
export function createServeOptions(): Option[] {
  const [policy, ...others] = createPolicyOptions({
    who: 'clients',
    port: usualPorts.configuration,
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
      .default(expirySec.default)
      .argParser(parseExpiry),
    new Option(
      '--secret <place...>',
      'a secret that documents name {secret.NAME}: NAME=FILE, or NAME=keychain:SERVICE/ACCOUNT',
    )
      .default([], 'none')
      .argParser(addSecret),
    new Option(
      '--decide',
      `answer 204 with the name of the document in ${documentHeader}, for a web server that has the files`,
    ).conflicts(['form', 'expiresSec', 'secret']),
    new Option(
      '--state <file>',
      'keep there which release was served, so that an older one stays refused after a restart',
    ),
    ...createAuditOptions('each answer, and each step of a device sign-in,'),
    new Option('--audit-subject <form>', 'how the audit names a person').default('digest').choices([...subjectForms]),
    ...createDeviceOptions(),
    ...others,
  ]
}

function parsePath(text: string): string {
  if (/^(\/[\w.~-]+)+$/.test(text)) return text
  throw new InvalidArgumentError('expected a path such as /bootstrap or /user/bootstrap.')
}

function parseExpiry(text: string): number {
  const seconds = Number(text)
  if (/^\d{1,6}$/.test(text) && seconds >= expirySec.least && seconds <= expirySec.most) return seconds
  throw new InvalidArgumentError(`expected a number of seconds from ${expirySec.least} to ${expirySec.most}.`)
}

function addSecret(text: string, before: readonly ServedSecretLocation[]): readonly ServedSecretLocation[] {
  const location = parseServedSecretLocation(text)
  if (!location) throw new InvalidArgumentError('expected NAME=FILE, or NAME=keychain:SERVICE/ACCOUNT.')
  if (before.some(({ name }) => name === location.name))
    throw new InvalidArgumentError(`${location.name} is named twice.`)
  return [...before, location]
}

/** Creates the options of {@link DeviceFlags}. */
function createDeviceOptions(): Option[] {
  return [
    new Option(
      '--device-origin <url>',
      'offer device sign-ins under this origin, at which clients and browsers reach this server',
    ).argParser(parseOrigin),
    new Option('--device-issuer <url>', 'the OpenID provider at which people sign in').argParser(parseIssuer),
    new Option('--device-client-id <id>', 'the client ID of this server there'),
    new Option('--device-client-secret-file <file>', 'its secret, in a file that nobody else can read'),
    new Option('--device-scope <scopes>', 'what to ask for').default('openid offline_access').argParser(parseScope),
    new Option('--device-token <kind>', 'which token clients send')
      .default(bearerTokenTypes[0])
      .choices([...bearerTokenTypes]),
    new Option('--device-resource <uri>', 'the resource that the access token is for (RFC 8707)'),
  ]
}

function parseOrigin(text: string): string {
  const url = URL.parse(text)
  if (url && isSecureAddress(url) && text.replace(/\/$/, '') === url.origin) return url.origin
  throw new InvalidArgumentError('expected an origin such as https://config.example.com.')
}

function parseIssuer(text: string): string {
  const url = URL.parse(text)
  if (url && isSecureAddress(url) && url.search === '' && url.hash === '' && url.username === '') return text
  throw new InvalidArgumentError('expected an issuer such as https://id.example.com.')
}

function parseScope(text: string): string {
  const scopes = text.trim().split(/\s+/)
  if (scopes.includes('openid')) return scopes.join(' ')
  throw new InvalidArgumentError('expected scopes with openid among them, by which the person is known.')
}
