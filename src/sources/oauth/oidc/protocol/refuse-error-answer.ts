import { HelperError } from '../../../../runtime/failure.ts'
import { parseRetryAfter } from '../../../../runtime/network/retry-policy.ts'
import { hideSecrets } from '../../../../runtime/text/hide-secrets.ts'
import { selectTexts } from '../../../../runtime/values/json-value.ts'
import { challengeError, parseChallenge } from '../challenge.ts'
import { describeProvider } from '../describe-provider.ts'
import { interceptionHint, refuseNoAnswer } from '../fetch-provider-metadata.ts'
import type { OidcSettings } from '../oidc-settings.ts'
import { explainRefusal } from '../refusals/explain-refusal.ts'
import { newSessionHint, type ProviderRefusal } from '../refusals/refusal.ts'
import { standardReasons } from '../refusals/standard-reasons.ts'
import { BusyProviderError, ChallengeError, InvalidGrantError } from '../renewal-errors.ts'
import type { OidcAnswer } from './to-issued-tokens.ts'

/**
 * Refuses an error answer (RFC 6749, section 5.2), and an answer that does not come from a provider.
 * @throws {HelperError} with the words of `explainRefusal`.
 */
export function refuseErrorAnswer(answer: OidcAnswer, asked: RefusedGrant): void {
  const error = findError(answer)
  if (error === undefined) {
    refuseNoAnswer(answer, describeProvider(asked.settings))
    refuseWithoutCode(answer.status, asked)
    return
  }
  throw toCodedRefusal(error, answer, asked)
}

/** The request that an answer belongs to. */
interface RefusedGrant extends Pick<ProviderRefusal, 'where' | 'grant'> {
  readonly settings: OidcSettings
  readonly redirectUri?: string | undefined
}

function refuseWithoutCode(status: number, asked: RefusedGrant): void {
  if (status !== 400 && status !== 401 && status !== 403) return
  const { kind, message, hint } = toRefusal({ error: '', status, where: asked.where, grant: asked.grant }, asked)
  throw new HelperError(kind, `${message}, without a reason (HTTP ${status})`, hint)
}

/**
 * Refuses an error answer to a refresh token. The refresh token is only deleted if the provider itself answers `invalid_grant` with HTTP
 * 400 or 401 (RFC 6749, section 5.2), because a proxy between may also answer with 401, 403 or its own JSON.
 * @throws {InvalidGrantError} for that answer; {@link BusyProviderError}; {@link ChallengeError} if the person has to sign in in another
 * way; `HelperError` for every other code of OAuth, and `unavailable` for anything that does not answer a refresh token.
 */
export function refuseNoRenewal(answer: OidcAnswer, settings: OidcSettings): void {
  const { status, members, text } = answer
  const { error } = members
  const name = describeProvider(settings)
  const asked: RefusedGrant = { where: 'token', grant: 'refresh_token', settings }
  const challenge = status === 400 || status === 401 ? parseChallenge(answer) : undefined
  if (challenge) throw new ChallengeError(toCodedRefusal(challengeError, answer, asked), challenge)
  if ((status === 400 || status === 401) && typeof error === 'string' && error !== '')
    throw toRenewalRefusal(error, toCodedRefusal(error, answer, asked))
  refuseBusy(answer, name)
  if (status === 200 && tokenMembers.some((member) => members[member] !== undefined)) return
  // Some providers refuse without a reason: glewlwyd's answer to a used refresh token has no body.
  if (status === 400 && text.trim() === '') throw toSilentRefusal(asked)
  throw new HelperError(
    'unavailable',
    `${name} cannot be reached: something answered with HTTP ${status} and no error of OAuth`,
    interceptionHint,
  )
}

function toRenewalRefusal(error: string, { kind, message, hint }: HelperError): HelperError {
  if (error === 'invalid_grant') return new InvalidGrantError(kind, message, hint)
  return new HelperError(standardReasons.has(error) ? kind : 'unavailable', message, hint)
}

/** The members of which the answer of a token endpoint has at least one (RFC 6749, section 5.1). */
const tokenMembers = ['access_token', 'id_token', 'refresh_token', 'token_type', 'expires_in'] as const

/** Does the work of {@link refuseNoAnswer}. @throws {BusyProviderError} if the answer has a `Retry-After`. */
function refuseBusy(answer: OidcAnswer, name: string): void {
  try {
    refuseNoAnswer(answer, name)
  } catch (error) {
    const isTold = parseRetryAfter(answer.headers.get('retry-after'), answer.sentAt) !== undefined
    if (!isTold || !(error instanceof HelperError)) throw error
    throw new BusyProviderError(error.kind, error.message, error.hint)
  }
}

function toSilentRefusal(asked: RefusedGrant): InvalidGrantError {
  const { message } = toRefusal({ error: '', status: 400, where: asked.where, grant: asked.grant }, asked)
  return new InvalidGrantError('sign-in-required', `${message}, without a reason (HTTP 400)`, newSessionHint)
}

function toCodedRefusal(error: string, answer: OidcAnswer, asked: RefusedGrant): HelperError {
  const { error_description: description, error_uri: errorUri } = answer.members
  const { where, grant } = asked
  const said = toTexts({ error, description, errorUri }, answer)
  return toRefusal({ error, status: answer.status, where, grant, ...said }, asked)
}

/**
 * Finds the error code of an answer, with any of the statuses that providers use; a busy provider may send one too. `undefined` for other
 * answers.
 */
export function findError({ status, members: { error, access_token: token } }: OidcAnswer): string | undefined {
  const isStatus = status >= 400 && status < 500 && status !== 408 && (status !== 429 || error === 'slow_down')
  const isAnswer = isStatus || (status === 200 && token === undefined)
  return isAnswer && typeof error === 'string' && error !== '' ? error : undefined
}

/** Creates the failure for a provider's refusal. */
export function toRefusal(
  refusal: ProviderRefusal,
  { settings, redirectUri }: Pick<RefusedGrant, 'settings' | 'redirectUri'>,
): HelperError {
  const { issuer, authorizationUrl, tokenUrl, clientId, clientSecretFile } = settings
  const subject = describeProvider(settings)
  const client = { clientId, clientSecretFile }
  return explainRefusal(refusal, { issuer, authorizationUrl, tokenUrl, ...client, redirectUri, subject })
}

/**
 * Returns the texts of a refusal without the secrets that were sent. A provider may repeat them, however short, and they must not be in a
 * log.
 */
function toTexts(members: Readonly<Record<'error' | 'description' | 'errorUri', unknown>>, { secrets }: OidcAnswer) {
  const texts = Object.entries(selectTexts(members))
  return Object.fromEntries(texts.map(([name, text]) => [name, hideSecrets(text, secrets)]))
}
