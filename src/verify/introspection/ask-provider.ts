import { HelperError } from '../../runtime/failure.ts'
import { readBounded } from '../../runtime/network/bounded-body.ts'
import { encodeClientCredentials } from '../../runtime/network/client-credentials.ts'
import type { Fetch } from '../../runtime/network/network-fetch.ts'
import { formType } from '../../runtime/network/request-body.ts'
import type { Secret } from '../../runtime/secret.ts'
import { parseUniqueObject } from '../jwt/find-duplicate-member.ts'
import type { IntrospectionSettings } from '../policy/policy.ts'
import type { ProviderAnswer } from './provider-answer.ts'

/** The parts of {@link askProvider}. */
export interface QuestionParts {
  /** Follows no redirect, such as that of `createStreamFetch`. */
  readonly fetch: Fetch
  /**
   * Reads the secret with which the verifier proves to a provider who it is. It is read for each question, so that another one counts at once.
   * @param file As the policy names it.
   */
  readonly readSecret: (file: string) => Promise<Secret>
}

/** Bounds on one question. Our decisions. */
export const questionBounds = { answerMs: 3_000, bytes: 64 * 1024 } as const

/**
 * Asks a provider whether a token is active (RFC 7662, section 2.1), with `client_secret_basic`, which every provider has to know.
 * A signed answer (RFC 9701) is not asked for.
 * @throws {HelperError} for anything but a good answer; the message is for the operator.
 */
export async function askProvider(
  token: string,
  { url: address, clientId, secretFile }: IntrospectionSettings,
  { fetch, readSecret }: QuestionParts,
): Promise<ProviderAnswer> {
  const url = new URL(address)
  const response = await fetch(url.href, {
    method: 'POST',
    headers: {
      accept: 'application/json',
      authorization: encodeClientCredentials(clientId, await readSecret(secretFile)),
      'content-type': formType,
    },
    body: new URLSearchParams({ token, token_type_hint: 'access_token' }).toString(),
    // Our own fetch never follows a redirect, but the fetch of Node, which a user of the library may pass, does.
    redirect: 'manual',
    signal: AbortSignal.timeout(questionBounds.answerMs),
  })
  const { status } = response
  if (status !== 200) {
    await response.body?.cancel()
    throw new ProviderStatusError(url, status)
  }
  const bound = { bytes: questionBounds.bytes, sec: questionBounds.answerMs / 1000, hint }
  return parseProviderAnswer((await readBounded(response, url.host, bound)).toString('utf8'), url)
}

const hint = 'look at what the provider answers there'

/** An answer with another status than 200. */
export class ProviderStatusError extends HelperError {
  readonly status: number

  constructor({ host, pathname }: URL, status: number) {
    const advice = status === 401 ? 'compare clientId and the secret with those at the provider' : hint
    super('unavailable', `${host} answered HTTP ${status} at ${pathname}`, advice)
    this.status = status
  }
}

/** @throws {HelperError} `unavailable` for anything but a JSON object with `active`. */
function parseProviderAnswer(text: string, { host, pathname }: URL): ProviderAnswer {
  const members = parseUniqueObject(text)
  if (!members)
    throw new HelperError(
      'unavailable',
      `${host} answered with no JSON object at ${pathname}, or with one that names a member twice`,
      hint,
    )
  const { active } = members
  if (typeof active === 'boolean') return { ...members, active }
  throw new HelperError('unavailable', `${host} answered without "active" at ${pathname}`, hint)
}
