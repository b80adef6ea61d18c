import { HelperError } from '../../../../runtime/failure.ts'
import { hideSecrets } from '../../../../runtime/hide-secrets.ts'
import { describeProvider } from '../describe-provider.ts'
import { refuseNoAnswer } from '../discovery/refuse-no-answer.ts'
import { InvalidGrantError } from '../invalid-grant.ts'
import { explainRefusal } from '../refusals/explain-refusal.ts'
import { newSessionHint } from '../refusals/reasons/create-reasons.ts'
import type { OidcSettings } from '../settings.ts'
import type { Answer } from './answer.ts'

type Refusal = Parameters<typeof explainRefusal>[0]

/** Where an answer came from, and for what. */
interface Asked extends Pick<Refusal, 'where' | 'grant'> {
  readonly settings: OidcSettings
  readonly redirectUri?: string | undefined
}

/**
 * Refuses an answer that is an error (RFC 6749, section 5.2), or no answer of a provider.
 * @throws {HelperError} in the words of `explainRefusal`; {@link InvalidGrantError} for a refresh token that is not taken.
 */
export function refuseRefusal(answer: Answer, asked: Asked): void {
  const error = findError(answer)
  if (error === undefined) {
    refuseNoAnswer(answer, describeProvider(asked.settings))
    refuseWithoutCode(answer.status, asked)
    return
  }
  const { error_description: description, error_uri: errorUri } = answer.members
  const { where, grant } = asked
  const said = toTexts({ error, description, errorUri }, answer)
  const failure = toRefusal({ ...{ error, status: answer.status, where, grant }, ...said }, asked)
  if (grant !== 'refresh_token' || error !== 'invalid_grant') throw failure
  throw new InvalidGrantError(failure.kind, failure.message, failure.hint)
}

/** Some providers say nothing but no: glewlwyd's answer to a refresh token that was used has no body. */
function refuseWithoutCode(status: number, asked: Asked): void {
  if (status !== 400 && status !== 401 && status !== 403) return
  const { where, grant } = asked
  const { kind, message, hint } = toRefusal({ error: '', status, where, grant }, asked)
  const problem = `${message}, without a reason (HTTP ${status})`
  if (grant !== 'refresh_token') throw new HelperError(kind, problem, hint)
  throw new InvalidGrantError('sign-in-required', problem, newSessionHint)
}

/** The code of an error that is an answer, with whatever status some send it; a provider that is busy may send one too. */
export function findError({ status, members: { error, access_token: token } }: Answer): string | undefined {
  const isStatus = status >= 400 && status < 500 && status !== 408 && (status !== 429 || error === 'slow_down')
  const isAnswer = isStatus || (status === 200 && token === undefined)
  return isAnswer && typeof error === 'string' && error !== '' ? error : undefined
}

/** A refusal in words. */
export function toRefusal(
  refusal: Refusal,
  { settings, redirectUri }: Pick<Asked, 'settings' | 'redirectUri'>,
): HelperError {
  const { issuer, authorizationUrl, tokenUrl, clientId, clientSecretFile } = settings
  const subject = describeProvider(settings)
  const client = { clientId, clientSecretFile }
  return explainRefusal(refusal, { issuer, authorizationUrl, tokenUrl, ...client, redirectUri, subject })
}

/** A provider may repeat what was sent to it, which is no text for a log, however short it is. */
function toTexts(members: Readonly<Record<'error' | 'description' | 'errorUri', unknown>>, { secrets }: Answer) {
  const texts = Object.entries(members).filter((member): member is [string, string] => typeof member[1] === 'string')
  return Object.fromEntries(texts.map(([name, text]) => [name, hideSecrets(text, secrets)]))
}
