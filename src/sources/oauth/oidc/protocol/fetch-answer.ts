import type { Configuration, CustomFetch, ExportedJWKSCache } from 'openid-client'
import { HelperError } from '../../../../runtime/failure.ts'
import { parseObject } from '../../../../runtime/parse-object.ts'
import { toClockOffset } from '../../../clock-offset.ts'
import { describeProvider } from '../describe-provider.ts'
import { refuseNoAnswer } from '../discovery/refuse-no-answer.ts'
import type { Answer } from './answer.ts'
import { toAnswerFailure } from './answer-failure.ts'
import { createConfiguration, type Learned } from './create-configuration.ts'
import type { ProviderConnection } from './provider-connection.ts'

/** A request to one endpoint of a provider. */
export interface ProviderRequest<T> {
  /** Whether it carries what may be redeemed once. Otherwise it is repeated whatever became of the first one. */
  readonly isValidOnce: boolean
  /** What `fetchKeys` gave, where the answer may hold an ID token. */
  readonly keys?: ExportedJWKSCache | undefined
  /** Has openid-client make it. Called twice: for the request, and for its answer. */
  make(configuration: Configuration, answer: Answer | undefined): Promise<T>
  /** Throws where the answer is a refusal. */
  refuse(answer: Answer): void
  /** The issuer that the answer has to name, where no metadata says so. */
  findIssuer?(answer: Answer | undefined): string | undefined
}

/**
 * Sends a request that openid-client makes, once, and has openid-client validate the answer. The two are apart because an answer
 * tells what it is validated with: its `Date` by how much the provider's clock differs from this machine's, and without
 * discovery the issuer.
 * @throws {HelperError} what `refuse` throws; `late` or `unavailable` where nothing answered; otherwise what is wrong with the answer.
 */
export async function fetchAnswer<T>(
  request: ProviderRequest<T>,
  connection: ProviderConnection,
): Promise<{ readonly result: T; readonly answer: Answer }> {
  const answer = await sendRequest(request, connection)
  request.refuse(answer)
  const { clock } = connection.parts.host
  const skewSec = Math.round((clock.now() + answer.clockOffsetMs - Date.now()) / 1000)
  const learned = { skewSec, keys: request.keys, issuer: request.findIssuer?.(answer) }
  const { status, headers, text } = answer
  // Keys that were not published yet are fetched after the answer.
  const rest: CustomFetch[] = [async () => new Response(status === 204 ? null : text, { status, headers })]
  const keyFetch = toKeyFetch(request.isValidOnce ? withWholeDeadline(connection) : connection)
  const fetch: CustomFetch = (url, init) => (rest.pop() ?? keyFetch)(url, init)
  const result = await make(request, connection, { learned, fetch, answer })
  return { result, answer }
}

async function sendRequest<T>(request: ProviderRequest<T>, connection: ProviderConnection): Promise<Answer> {
  let outcome: Promise<Answer> | undefined
  const { clock } = connection.parts.host
  // Sent in a header, or in the body.
  const own = connection.secret ? [connection.secret.reveal()] : []
  const send = toFetch(connection, { ...request, name: describeProvider(connection.settings) })
  const fetch: CustomFetch = async (url, init) => {
    const sentAt = clock.now()
    outcome ??= send(url, init).then((response) =>
      readAnswer(response, { secrets: [...findSecrets(init.body), ...own], sentAt, receivedAt: clock.now() }),
    )
    await outcome
    throw new Sent()
  }
  const learned = { skewSec: 0, issuer: request.findIssuer?.(undefined) }
  try {
    await make(request, connection, { learned, fetch, answer: undefined })
  } catch (error) {
    if (!(error instanceof Sent) || !outcome) throw error
  }
  return outcome as Promise<Answer> // set by `fetch`, without which there is no end without an error
}

/** Ends the work of openid-client when the answer is there. */
class Sent extends Error {}

async function make<T>(
  request: ProviderRequest<T>,
  connection: ProviderConnection,
  { learned, fetch, answer }: { learned: Learned; fetch: CustomFetch; answer: Answer | undefined },
): Promise<T> {
  try {
    return await request.make(createConfiguration(connection, learned, fetch), answer)
  } catch (error) {
    const cause = (error as Error).cause
    if (cause instanceof Sent || cause instanceof HelperError) throw cause
    throw toAnswerFailure(error, connection.settings, answer)
  }
}

/** Of the keys with which ID tokens are signed. */
function toKeyFetch(connection: ProviderConnection): CustomFetch {
  const provider = describeProvider(connection.settings)
  const name = `the list of keys of ${provider}`
  const fetch = toFetch(connection, { name, isValidOnce: false })
  return async (url, init) => {
    const response = await fetch(url, init)
    refuseNoAnswer(response, name)
    if (response.status === 200) return response
    throw new HelperError('unavailable', `${name} cannot be read (HTTP ${response.status})`, `ask who runs ${provider}`)
  }
}

/** An answer that nobody gets again is not given up while it is verified. */
function withWholeDeadline({ parts, ...connection }: ProviderConnection): ProviderConnection {
  const { call } = parts
  return { ...connection, parts: { ...parts, call: { ...call, deadline: call.deadline.whole } } }
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

/** The members of a request with which somebody else could sign in or renew. */
const secretMembers = ['code', 'code_verifier', 'refresh_token', 'token', 'device_code']

function findSecrets(body: unknown): string[] {
  const form = new URLSearchParams(String(body ?? ''))
  return secretMembers.flatMap((name) => form.getAll(name))
}

async function readAnswer(
  response: Response,
  { secrets, ...times }: { readonly secrets: readonly string[]; readonly sentAt: number; readonly receivedAt: number },
): Promise<Answer> {
  const { status, headers } = response
  const text = await response.text()
  const clockOffsetMs = toClockOffset({ date: headers.get('date'), age: headers.get('age') }, times)
  return { status, headers, text, members: parseObject(text) ?? {}, sentAt: times.sentAt, clockOffsetMs, secrets }
}
