import { HelperError } from '../../runtime/failure.ts'
import { readBounded } from '../../runtime/network/bounded-body.ts'
import { encodeClientCredentials } from '../../runtime/network/client-credentials.ts'
import type { Fetch } from '../../runtime/network/network-fetch.ts'
import { formType } from '../../runtime/network/server-request.ts'
import type { Secret } from '../../runtime/secret.ts'
import { isObject, type RawObject } from '../../runtime/values/json-value.ts'
import { checkSignature } from '../jwt/check-signature.ts'
import { findFailedCheck, toFacts } from '../jwt/examine-jwt.ts'
import { claimChecks, headerChecks } from '../jwt/jwt-checks.ts'
import type { KeyFinder } from '../jwt/key-finder.ts'
import { parseSignedJwt } from '../jwt/parse-signed-jwt.ts'
import { parseUniqueObject, toNoObjectFailure } from '../jwt/unique-object.ts'
import { findFailed } from '../jwt/verify-jwt.ts'
import type { IntrospectionSettings, JwtTrust, Policy } from '../policy/policy.ts'
import { assertionType, parseSigningKey, signClientAssertion } from './client-assertion.ts'
import type { ProviderAnswer } from './provider-answer.ts'

/** The parts that {@link askProvider} needs besides the token. */
export interface QuestionParts {
  /** The function must follow no redirect, like that of `createStreamFetch`. */
  readonly fetch: Fetch
  /**
   * Reads the secret or the key that authenticates the verifier at a provider. It is read for each request, so that a new one is used at
   * once.
   * @param file The name in the policy.
   */
  readonly readSecret: (file: string) => Promise<Secret>
  /** The keys of providers, for signed answers. */
  readonly keys: KeyFinder
  /** Epoch milliseconds. */
  readonly now: () => number
}

/** The provider to ask, and the settings of the policy about it. */
export interface AskedProvider extends Pick<Policy, 'clockSkewSec'> {
  readonly trust: JwtTrust
  readonly settings: IntrospectionSettings
}

/** The bounds of one request to a provider. Our decisions. */
export const questionBounds = { answerMs: 3_000, bytes: 64 * 1024, signedAgeSec: 60 } as const

/**
 * Asks a provider whether a token is active (RFC 7662, section 2.1).
 * @throws {HelperError} for anything but a good answer; the message is for the operator.
 */
export async function askProvider(
  token: string,
  provider: AskedProvider,
  parts: QuestionParts,
): Promise<ProviderAnswer> {
  const { settings } = provider
  const url = new URL(settings.url)
  const { headers, parameters } = await authenticate(provider, parts)
  const response = await parts.fetch(url.href, {
    method: 'POST',
    headers: { accept: answerTypes[settings.answers], ...headers, 'content-type': formType },
    body: new URLSearchParams({ token, token_type_hint: 'access_token', ...parameters }).toString(),
    // Our own fetch follows no redirect, but a user of the library may pass that of Node, which does.
    redirect: 'manual',
    signal: AbortSignal.timeout(questionBounds.answerMs),
  })
  const { status } = response
  if (status !== 200) {
    await response.body?.cancel()
    throw new ProviderStatusError(url, status)
  }
  const bound = { bytes: questionBounds.bytes, sec: questionBounds.answerMs / 1000, hint }
  const text = (await readBounded(response, url.host, bound)).toString('utf8')
  const members =
    settings.answers === 'signed' ? await verifySignedAnswer(text, provider, parts) : parseUniqueObject(text)
  return requireActiveMember(members, url)
}

/** The media types of answers: RFC 7662, section 2.2, and RFC 9701, section 5. */
const answerTypes = { plain: 'application/json', signed: 'application/token-introspection+jwt' } as const

/**
 * Uses `client_secret_basic`, which every provider must support (RFC 6749, section 2.3.1), or `private_key_jwt` (OpenID Connect Core 1.0,
 * section 9).
 */
async function authenticate(
  { trust: { issuer }, settings: { clientId, proof } }: AskedProvider,
  { readSecret, now }: QuestionParts,
): Promise<{ headers?: Record<string, string>; parameters?: Record<string, string> }> {
  const secret = await readSecret(proof.file)
  if (proof.kind === 'secret') return { headers: { authorization: encodeClientCredentials(clientId, secret) } }
  const assertion = await signClientAssertion(parseSigningKey(secret), { clientId, issuer, now: now() })
  return { parameters: { client_assertion_type: assertionType, client_assertion: assertion } }
}

/**
 * Verifies an answer that the provider has signed for this client (RFC 9701, section 5), and returns its members. An old answer is refused:
 * it does not name its token, so it could be the answer about another one.
 * @throws {HelperError} `unavailable` for any other answer.
 */
async function verifySignedAnswer(
  text: string,
  { trust, settings: { clientId, url }, clockSkewSec }: AskedProvider,
  { keys, now }: QuestionParts,
): Promise<RawObject | undefined> {
  const jwt = parseSignedJwt(text)
  const { host, pathname } = new URL(url)
  const toFailure = (note: string | undefined) =>
    new HelperError('unavailable', `${host} has not signed its answer at ${pathname} as RFC 9701 says: ${note}`, hint)
  if ('problem' in jwt) throw toFailure(jwt.problem)
  const { longestLifeSec: _, ...unlimited } = trust
  const type = answerTypes.signed.replace('application/', '')
  const expected = { ...unlimited, audiences: [clientId], types: [type], longestAgeSec: questionBounds.signedAgeSec }
  const facts = toFacts(jwt, { trusts: [expected], keys, now: now(), clockSkewSec })
  const { audience, 'issued at': issuedAt, age } = claimChecks
  const failed =
    findFailedCheck(headerChecks, facts) ??
    findFailed(await checkSignature(jwt, { trust: facts.trust, keys })) ??
    findFailedCheck({ audience, 'issued at': issuedAt, age }, facts)
  if (failed) throw toFailure(failed.note)
  const { token_introspection: members } = jwt.claims
  return isObject(members) ? members : undefined
}

const hint = 'look at what the provider answers there'

/** An answer with another status than 200. */
export class ProviderStatusError extends HelperError {
  readonly status: number

  constructor({ host, pathname }: URL, status: number) {
    const advice = status === 401 ? 'compare clientId and the secret or the key with those at the provider' : hint
    super('unavailable', `${host} answered HTTP ${status} at ${pathname}`, advice)
    this.status = status
  }
}

/** @throws {HelperError} `unavailable` for anything but a JSON object with `active`. */
function requireActiveMember(members: RawObject | undefined, url: URL): ProviderAnswer {
  if (!members) throw toNoObjectFailure(url, hint)
  const { host, pathname } = url
  const { active } = members
  if (typeof active === 'boolean') return { ...members, active }
  throw new HelperError('unavailable', `${host} answered without "active" at ${pathname}`, hint)
}
