import type { Configuration, CustomFetch, ExportedJWKSCache } from 'openid-client'
import { HelperError } from '../../../../runtime/failure.ts'
import { parseObject } from '../../../../runtime/values/json-value.ts'
import { toClockOffset } from '../../../clock-offset.ts'
import { describeProvider } from '../describe-provider.ts'
import { refuseNoAnswer } from '../fetch-provider-metadata.ts'
import { computeScope, type OidcSettings } from '../oidc-settings.ts'
import { toAnswerFailure } from './answer-failure.ts'
import { createConfiguration, type Learned, type ProviderConnection } from './create-configuration.ts'
import type { OidcAnswer } from './to-issued-tokens.ts'

/**
 * Sends a request of openid-client once, and lets openid-client validate the answer. These are two steps, because the validation depends on
 * the answer: its `Date` shows the offset of the provider's clock, and without discovery the answer names the issuer.
 * @throws {HelperError} the failure that `refuse` throws; `late` or `unavailable` if nothing answered; otherwise the problem of the answer.
 */
export async function fetchAnswer<T>(
  request: ProviderRequest<T>,
  connection: ProviderConnection,
): Promise<{ readonly result: T; readonly answer: OidcAnswer }> {
  const answer = await sendRequest(request, connection)
  request.refuse(answer)
  await request.keep?.(answer)
  const { clock } = connection.parts.host
  const skewSec = Math.round((clock.now() + answer.clockOffsetMs - Date.now()) / 1000)
  const learned = { skewSec, keys: request.keys, issuer: request.findIssuer?.(answer) }
  const { status, headers, text } = answer
  // A key may have been published after the first request, so the keys can be fetched again after the answer.
  const received: CustomFetch[] = [async () => new Response(status === 204 ? null : text, { status, headers })]
  const keyFetch = toKeyFetch(connection)
  const fetch: CustomFetch = (url, init) => (received.pop() ?? keyFetch)(url, init)
  const result = await runRequest(request, connection, { learned, fetch, answer })
  return { result, answer }
}

/**
 * Fetches the keys of a provider before anything is sent that is valid once. If fetching failed afterwards, the tokens of the answer, with
 * a rotated refresh token, could not be verified and would be lost. `undefined` if no ID token is expected, or if the address of the keys
 * is not known.
 */
export async function fetchKeys({
  settings,
  metadata,
  parts,
}: ProviderConnection): Promise<ExportedJWKSCache | undefined> {
  const { issuer, jwks_uri: url } = metadata
  const isExpected = computeScope(settings).split(' ').includes('openid')
  if (!isExpected || issuer === undefined || typeof url !== 'string') return undefined
  const name = describeKeys(settings)
  const response = await parts.fetch(parts.call, { name, url }, { headers: { accept: 'application/json' } })
  refuseNoAnswer(response, name)
  const jwks = parseObject(await response.text())
  if (response.status !== 200 || !Array.isArray(jwks?.keys)) throw toUnreadableKeys(settings, response)
  return { jwks: { keys: jwks.keys }, uat: Math.floor(Date.now() / 1000) - oldSec }
}

/** In seconds: the age of the keys in openid-client's cache. At this age it fetches them again if a key is missing. */
const oldSec = 60

/** A request to one endpoint of a provider. */
interface ProviderRequest<T> {
  /** Whether the request has a value that can be redeemed only once. Any other request may be repeated. */
  readonly isValidOnce: boolean
  /** The result of `fetchKeys`, if the answer may hold an ID token. */
  readonly keys?: ExportedJWKSCache | undefined
  /** Makes the request with openid-client. It is called twice: for the request, and for its answer. */
  make(configuration: Configuration, answer: OidcAnswer | undefined): Promise<T>
  /** Throws if the answer is a refusal. */
  refuse(answer: OidcAnswer): void
  /** Stores what must not be lost, before the answer is validated. It is not called for a refusal. */
  keep?(answer: OidcAnswer): Promise<void>
  /** Finds the issuer that the answer has to name; absent: the metadata's. */
  findIssuer?(answer: OidcAnswer | undefined): string | undefined
}

async function sendRequest<T>(request: ProviderRequest<T>, connection: ProviderConnection): Promise<OidcAnswer> {
  let outcome: Promise<OidcAnswer> | undefined
  const { clock } = connection.parts.host
  // The client's secret, which is sent in a header or in the body.
  const clientSecrets = connection.secret ? [connection.secret.reveal()] : []
  const send = toFetch(connection, { ...request, name: describeProvider(connection.settings) })
  const fetch: CustomFetch = async (url, init) => {
    const sentAt = clock.now()
    outcome ??= send(url, init).then((response) =>
      readAnswer(response, { secrets: [...listSecrets(init.body), ...clientSecrets], sentAt, receivedAt: clock.now() }),
    )
    await outcome
    throw new Sent()
  }
  const learned = { skewSec: 0, issuer: request.findIssuer?.(undefined) }
  try {
    await runRequest(request, connection, { learned, fetch, answer: undefined })
  } catch (error) {
    if (!(error instanceof Sent) || !outcome) throw error
  }
  return outcome as Promise<OidcAnswer> // `fetch` has set it, because every other way throws
}

/** Thrown to interrupt openid-client when the answer has arrived. */
class Sent extends Error {}

async function runRequest<T>(
  request: ProviderRequest<T>,
  connection: ProviderConnection,
  { learned, fetch, answer }: { learned: Learned; fetch: CustomFetch; answer: OidcAnswer | undefined },
): Promise<T> {
  try {
    return await request.make(createConfiguration(connection, learned, fetch), answer)
  } catch (error) {
    const cause = (error as Error).cause
    if (cause instanceof Sent || cause instanceof HelperError) throw cause
    throw toAnswerFailure(error, connection.settings, answer)
  }
}

/** Fetches the keys with which ID tokens are signed. */
function toKeyFetch(connection: ProviderConnection): CustomFetch {
  const { settings } = connection
  const name = describeKeys(settings)
  const fetch = toFetch(connection, { name, isValidOnce: false })
  return async (url, init) => {
    const response = await fetch(url, init)
    refuseNoAnswer(response, name)
    if (response.status === 200) return response
    throw toUnreadableKeys(settings, response)
  }
}

function describeKeys(settings: OidcSettings): string {
  return `the list of keys of ${describeProvider(settings)}`
}

function toUnreadableKeys(settings: OidcSettings, { status }: Response): HelperError {
  const message = `${describeKeys(settings)} cannot be read (HTTP ${status})`
  return new HelperError('unavailable', message, `report this to whoever runs ${describeProvider(settings)}`)
}

function toFetch(
  { parts }: ProviderConnection,
  { name, isValidOnce }: { readonly name: string; readonly isValidOnce: boolean },
): CustomFetch {
  return (url, { method, headers, body }) =>
    parts.fetch(
      parts.call,
      { name, url, isValidOnce, isIdempotent: !isValidOnce },
      { method, headers, ...(body !== null && body !== undefined && { body: String(body) }) },
    )
}

/** The members of a request with which another person could sign in or renew. */
const secretMembers = ['code', 'code_verifier', 'refresh_token', 'token', 'device_code']

function listSecrets(body: unknown): string[] {
  const form = new URLSearchParams(String(body ?? ''))
  return secretMembers.flatMap((name) => form.getAll(name))
}

async function readAnswer(
  response: Response,
  { secrets, ...times }: { readonly secrets: readonly string[]; readonly sentAt: number; readonly receivedAt: number },
): Promise<OidcAnswer> {
  const { status, headers } = response
  const text = await response.text()
  const clockOffsetMs = toClockOffset(headers, times)
  return { status, headers, text, members: parseObject(text) ?? {}, sentAt: times.sentAt, clockOffsetMs, secrets }
}
