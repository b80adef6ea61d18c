import { setTimeout as sleep } from 'node:timers/promises'
import type { NetworkCall } from '../../helper/define-helper.ts'
import { HelperError } from '../../runtime/failure.ts'
import { fetchInTime } from '../../runtime/network/fetch/fetch-in-time.ts'
import { isTransient, pauseMs } from '../../runtime/network/fetch/retry-policy.ts'
import type { NetworkScope } from '../../runtime/network/network-scope.ts'
import { Secret } from '../../runtime/secret.ts'
import type { SecretHeader } from './parse-header-lines.ts'
import { type AnswerFormat, parseIdentityAnswer } from './parse-identity-answer.ts'

/** A request to a service that issues identity tokens for this machine or job. */
interface IdentityRequest extends AnswerFormat {
  readonly url: URL
  readonly headers: readonly SecretHeader[]
  readonly scope: NetworkScope
  /** A header that every answer of this service carries; an answer without it comes from another server. */
  readonly requiredHeader?: readonly [name: string, value: string]
}

/** As the AWS tools have it. */
const attempts = 3

/**
 * Asks for an identity token, up to three times while the service is busy or cannot be reached.
 * @throws {HelperError} `refused` with the status, `unavailable`, or `late`.
 */
export async function fetchIdentityToken(request: IdentityRequest, call: NetworkCall): Promise<Secret> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await send(request, call)
    // A metadata service that does not accept a connection at once does not exist.
    const isAbsent = 'trouble' in answer && request.scope === 'metadata'
    const pause = isTransient(answer) && !isAbsent ? pauseMs(answer, attempt) : undefined
    if (pause === undefined || attempt === attempts || pause >= call.deadline.remainingMs())
      return toToken(request, answer)
    await call.deadline.during(`${request.name} (waiting to retry)`, ({ signal }) =>
      sleep(pause, undefined, { signal }),
    )
  }
}

/** The answer, or why there is none. */
type Answer = { readonly response: Response; readonly text: string } | { readonly trouble: HelperError }

async function send({ name, url, headers, scope }: IdentityRequest, call: NetworkCall): Promise<Answer> {
  const sent = headers.map(([header, value]): [string, string] => [header, value.reveal()])
  try {
    const response = await fetchInTime(call, { name, url: url.href, scope }, { headers: sent })
    return { response, text: await response.text() }
  } catch (error) {
    if (error instanceof HelperError && error.kind !== 'late') return { trouble: error }
    throw error
  }
}

function toToken({ requiredHeader, scope, ...format }: IdentityRequest, answer: Answer): Secret {
  const { name, hint } = format
  if ('trouble' in answer) {
    if (scope !== 'metadata' || answer.trouble.kind !== 'unavailable') throw answer.trouble
    throw new HelperError('unavailable', `${name}: ${answer.trouble.message}`, hint, { cause: answer.trouble })
  }
  const { response, text } = answer
  const status = `HTTP ${response.status}`
  if (isTransient(answer))
    throw new HelperError('unavailable', `${name} is busy or broken (${status})`, 'try again in a moment')
  const foreignHint = `find out what answers in the place of ${name}`
  if (response.status >= 300 && response.status < 400)
    throw new HelperError(
      'unavailable',
      `${name} answered with a redirect, which is not followed (${status})`,
      foreignHint,
    )
  if (!response.ok) throw new HelperError('refused', `${name} gave no identity token (${status})`, hint)
  if (requiredHeader !== undefined && !hasHeader(response, requiredHeader))
    throw new HelperError(
      'unavailable',
      `the answer is not from ${name}: its header ${requiredHeader[0]} is missing`,
      foreignHint,
    )
  return new Secret(parseIdentityAnswer(text, format))
}

function hasHeader({ headers }: Response, [name, value]: readonly [name: string, value: string]): boolean {
  return headers.get(name)?.toLowerCase() === value.toLowerCase()
}
