import type { BearerTokenType } from '../../../contract/oauth-names.ts'
import { expandHome, readIfPresent } from '../../../runtime/disk.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import { Secret } from '../../../runtime/secret.ts'
import type { GrantClient } from './encode-request.ts'

/** A token endpoint: its address, or the server whose metadata has the address (RFC 8414). `setting` is the option with either. */
export type EndpointSetting =
  | { readonly url: string; readonly setting: string }
  | { readonly issuer: string; readonly setting: string }

/** The location of a client's secret. It is never an argument. */
export interface SecretLocation {
  readonly kind: 'file' | 'variable'
  readonly name: string
  /** The option that names this location. */
  readonly setting: string
}

/** The client at a token endpoint (RFC 6749, section 2.3). */
export interface ExchangeClient {
  /** The client's ID; `undefined` if it sends none, which RFC 7521, section 4.1, permits. */
  readonly id: string | undefined
  /** `undefined` for a public client. */
  readonly secret?: SecretLocation | undefined
  /** How the secret is sent; absent: the server's metadata decides. */
  readonly authentication?: 'basic' | 'post' | undefined
}

/** More parameters of the request, by name. */
export type MoreParameters = readonly (readonly [name: string, value: string])[]

/** The settings of a token exchange (RFC 8693, section 2.1). */
export interface TokenExchangeSettings extends SharedSettings {
  readonly form: 'token-exchange'
  readonly audiences: readonly string[]
  /** The URI of a token type; absent: the server chooses. */
  readonly requestedTokenType?: string | undefined
  readonly parameters: MoreParameters
}

/** The settings of a JWT bearer grant (RFC 7523, section 2.1), with the person's token as the assertion. */
export interface JwtBearerSettings extends SharedSettings {
  readonly form: 'jwt-bearer'
  readonly parameters: MoreParameters
}

/**
 * The two steps of draft-ietf-oauth-identity-assertion-authz-grant: the person's provider exchanges the ID token for an ID-JAG, and
 * the authorization server of the gateway takes that as an assertion.
 */
export interface IdJagSettings extends SharedSettings {
  readonly form: 'id-jag'
  /** The person's provider, with the client that the person has signed in to. */
  readonly provider: { readonly endpoint: EndpointSetting; readonly client: ExchangeClient }
  /** The issuer of the second server, which must be the only one that the ID-JAG names. */
  readonly issuer: string
  /** The provider's name for the second server, usually its issuer. */
  readonly audience: string
}

/** How a person's token is exchanged for the one that the gateway gets. */
export type ExchangeSettings = TokenExchangeSettings | JwtBearerSettings | IdJagSettings

/** Reads the client and its secret for one exchange. @throws {HelperError} `not-configured` if there is no secret. */
export async function readClient(
  { id, secret, authentication }: ExchangeClient,
  host: Pick<Host, 'env' | 'home'>,
): Promise<GrantClient> {
  return { id, authentication, secret: secret && (await readSecret(secret, host)) }
}

/** The settings of every form of exchange. */
interface SharedSettings {
  /** The kind of the person's token that is exchanged. */
  readonly subject: BearerTokenType
  /** The endpoint that issues the token for the gateway. */
  readonly endpoint: EndpointSetting
  readonly client: ExchangeClient
  readonly resources: readonly string[]
  /** The scopes, separated by spaces. */
  readonly scope?: string | undefined
}

/**
 * Reads the secret in a file.
 * @param setting The option with the path.
 * @param owner The owner of the secret, for the message.
 * @throws {HelperError} `not-configured` if there is no secret.
 */
export async function readSecretFile(
  name: string,
  setting: string,
  { home }: Pick<Host, 'home'>,
  owner = 'the client',
): Promise<Secret> {
  const path = expandHome(name, home)
  return toSecret(await readIfPresent(path), `the file ${path}`, setting, owner)
}

async function readSecret({ kind, name, setting }: SecretLocation, host: Pick<Host, 'env' | 'home'>): Promise<Secret> {
  return kind === 'file'
    ? readSecretFile(name, setting, host)
    : toSecret(host.env[name], `the variable ${name}`, setting)
}

function toSecret(text: string | undefined, location: string, setting: string, owner = 'the client'): Secret {
  if (text?.trim()) return new Secret(text.trim())
  throw new HelperError(
    'not-configured',
    `${location}, which should hold the secret of ${owner}, does not exist or is empty`,
    `put the secret there, or correct ${setting}`,
  )
}
