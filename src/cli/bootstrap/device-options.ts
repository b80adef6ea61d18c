import { InvalidArgumentError, Option } from 'commander'
import { isLoopback } from '../../runtime/network/loopback.ts'

/** The options of device sign-ins. */
export interface DeviceFlags {
  readonly deviceOrigin?: string
  readonly deviceIssuer?: string
  readonly deviceClientId?: string
  readonly deviceClientSecretFile?: string
  readonly deviceScope: string
  readonly deviceToken: 'id_token' | 'access_token'
  readonly deviceResource?: string
}

/** The options of {@link DeviceFlags}. */
export function createDeviceOptions(): Option[] {
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
      .default('id_token')
      .choices(['id_token', 'access_token']),
    new Option('--device-resource <uri>', 'the resource that the access token is for (RFC 8707)'),
  ]
}

function parseOrigin(text: string): string {
  const url = URL.parse(text)
  if (url && isSafe(url) && text.replace(/\/$/, '') === url.origin) return url.origin
  throw new InvalidArgumentError('expected an origin such as https://config.example.com.')
}

function parseIssuer(text: string): string {
  const url = URL.parse(text)
  if (url && isSafe(url) && url.search === '' && url.hash === '' && url.username === '') return text
  throw new InvalidArgumentError('expected an issuer such as https://id.example.com.')
}

function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

function parseScope(text: string): string {
  const scopes = text.trim().split(/\s+/)
  if (scopes.includes('openid')) return scopes.join(' ')
  throw new InvalidArgumentError('expected scopes with openid among them, by which the person is known.')
}
