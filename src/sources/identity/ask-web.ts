import { setTimeout as sleep } from 'node:timers/promises'
import type { NetworkCall } from '../../helper/define-helper.ts'
import { HelperError } from '../../runtime/failure.ts'
import { networkFetch } from '../../runtime/network/fetch/network-fetch.ts'
import { isTransient, pauseMs } from '../../runtime/network/fetch/retry-policy.ts'
import type { NetworkScope } from '../../runtime/network/network-scope.ts'
import { Secret } from '../../runtime/secret.ts'
import type { SecretHeader } from './parse-header-lines.ts'
import { parseIdentityAnswer } from './parse-identity-answer.ts'

/** A question to a service that knows who this machine or job is. */
export interface WebQuestion {
  /** For messages. */
  readonly who: string
  readonly url: URL
  readonly headers: readonly SecretHeader[]
  readonly reach: NetworkScope
  /** See `AnswerForm`. */
  readonly field: string | undefined
  /** A header without which the answer comes from somebody else. */
  readonly sign?: readonly [name: string, value: string]
  /** The way out of a refusal. */
  readonly way: string
}

/** As the AWS tools have it. */
const attempts = 3

/**
 * Asks for an identity token, up to three times while the service is busy or briefly out of reach.
 * @throws {HelperError} `refused` with the status, `unavailable`, or `late`.
 */
export async function askWeb(question: WebQuestion, call: NetworkCall): Promise<Secret> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await ask(question, call)
    // A metadata service that does not take a connection at once is not there.
    const isAbsent = 'trouble' in answer && question.reach === 'metadata'
    const pause = isTransient(answer) && !isAbsent ? pauseMs(answer, attempt) : undefined
    if (pause === undefined || attempt === attempts || pause >= call.deadline.remainingMs())
      return readAnswer(question, answer)
    await call.deadline.during(`${question.who} (waiting to ask again)`, ({ signal }) =>
      sleep(pause, undefined, { signal }),
    )
  }
}

/** What came back, or why nothing did. */
type Answer = { readonly response: Response; readonly text: string } | { readonly trouble: HelperError }

function ask({ who, url, headers, reach }: WebQuestion, { deadline, network }: NetworkCall): Promise<Answer> {
  let stage = ''
  const report = (next: string) => {
    stage = next
  }
  return deadline.during(
    () => `${who} (${stage})`,
    async ({ signal }) => {
      const fetch = networkFetch({ network, reach, signal, report })
      try {
        const response = await fetch(url.href, { headers: headers.map(([name, value]) => [name, value.reveal()]) })
        return { response, text: await response.text() }
      } catch (error) {
        if (error instanceof HelperError) return { trouble: error }
        throw error
      }
    },
  )
}

function readAnswer({ who, field, sign, way, reach }: WebQuestion, answer: Answer): Secret {
  if ('trouble' in answer) {
    if (reach !== 'metadata' || answer.trouble.kind !== 'unavailable') throw answer.trouble
    throw new HelperError('unavailable', `${who}: ${answer.trouble.message}`, way, { cause: answer.trouble })
  }
  const { response, text } = answer
  const status = `HTTP ${response.status}`
  if (isTransient(answer))
    throw new HelperError('unavailable', `${who} is busy or broken (${status})`, 'try again in a moment')
  const foreign = `find out what answers in the place of ${who}`
  if (response.status >= 300 && response.status < 400)
    throw new HelperError('unavailable', `${who} answered with a redirect, which is not followed (${status})`, foreign)
  if (!response.ok) throw new HelperError('refused', `${who} gave no identity token (${status})`, way)
  if (sign !== undefined && response.headers.get(sign[0])?.toLowerCase() !== sign[1].toLowerCase())
    throw new HelperError('unavailable', `${who} did not answer as itself: its header ${sign[0]} is missing`, foreign)
  return new Secret(parseIdentityAnswer(text, { who, field, way }))
}
