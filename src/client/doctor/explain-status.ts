import { apiPaths } from '../../contract/http-api.ts'
import { isPageType, isRedirectStatus } from '../../runtime/network/network-failure.ts'
import { parseObject } from '../../runtime/values/json-value.ts'
import type { PartExplanation } from '../examination.ts'
import type { GatewayAnswer } from '../session/turn.ts'
import { parseRefusal } from './parse-refusal.ts'

/**
 * Explains an answer by its status; pure.
 * @param location The redirect address, without secrets.
 */
export function explainStatus(answer: GatewayAnswer, location: string | undefined): PartExplanation {
  const { status, headers } = answer
  if (status >= 500) return explainOutage(answer)
  if (isRedirectStatus(status)) return explainRedirect(answer, location)
  if (status === 404 || status === 405) return explainNotFound(answer)
  if (isPageType(headers.get('content-type')))
    return {
      outcome: 'bad',
      cause: `a page came back instead of a message (HTTP ${status}), as from a sign-in`,
      hint: 'set baseUrl to the address of the API itself',
    }
  if (status < 300 && hasError(answer))
    return {
      outcome: 'bad',
      cause: `the gateway reports an error, with HTTP ${status} instead of an error status`,
      hint: `nothing to change here: give its operators ${nameRequest(headers)}`,
    }
  if (status >= 200 && status < 300)
    return {
      outcome: 'bad',
      cause: 'the answer holds no message',
      hint: addressHint,
    }
  if (status === 407)
    return {
      outcome: 'bad',
      cause: 'a proxy asks for its own sign-in',
      hint: 'have the proxy let the gateway through without one, or list its host in NO_PROXY',
    }
  if (status === 429) return explainLimit(headers)
  return explainRefusedRequest(answer)
}

const addressHint = `check that baseUrl followed by ${apiPaths.messages} is the address of the API`

/** Returns whether a JSON object describes an error, whatever the status. */
export function hasError({ text }: GatewayAnswer): boolean {
  return Boolean(parseObject(text)?.error)
}

/** Statuses of outages, for which no setting here is wrong. */
const outages: ReadonlyMap<number, string> = new Map([
  [502, "the gateway's backend is down"],
  [503, 'the gateway, or its backend, is not available for now'],
  [504, "the gateway's backend gave no answer in time"],
  [529, 'the gateway, or its backend, is overloaded'],
])

function explainOutage({ status, headers }: GatewayAnswer): PartExplanation {
  return {
    outcome: 'bad',
    cause: `${outages.get(status) ?? 'the gateway failed'} (HTTP ${status})`,
    hint: `nothing to change here: try again later; if it stays so, give the gateway's operators ${nameRequest(headers)}`,
  }
}

function nameRequest(headers: Headers): string {
  return findRequestId(headers) === undefined ? 'the status and the time of the request' : 'the request id'
}

/** Finds the identifier under which the gateway's operators can find a request. */
export function findRequestId(headers: Headers): string | undefined {
  return headers.get('request-id') ?? headers.get('x-request-id') ?? undefined
}

/** A redirect is not followed, because the token would go to another server. */
function explainRedirect({ status }: GatewayAnswer, location: string | undefined): PartExplanation {
  const cause = `the gateway redirects instead of answering (HTTP ${status})`
  return {
    outcome: 'bad',
    cause: location === undefined ? cause : `${cause}: to ${location}`,
    hint: location?.endsWith(apiPaths.messages)
      ? `set baseUrl to ${location.slice(0, -apiPaths.messages.length)}`
      : "set baseUrl to the address of the API itself; if it is that already, have the gateway's operators take the sign-in page away from the API",
  }
}

/** Finds the redirect address of an answer, without user, password and query, which may be secrets. */
export function findLocation(headers: Headers, url: string): string | undefined {
  const location = URL.parse(headers.get('location') ?? '', url)
  return headers.has('location') && location
    ? `${location.origin}${location.pathname}${location.search === '' ? '' : '?…'}`
    : undefined
}

function explainNotFound({ status, text }: GatewayAnswer): PartExplanation {
  if (isAboutModel(text)) return unknownModel
  return {
    outcome: 'bad',
    cause: `there is no Messages API at this address (HTTP ${status}), or no model "default"`,
    hint: addressHint,
  }
}

/** The doctor's request names a model that no client uses. */
const unknownModel: PartExplanation = {
  outcome: 'bad',
  cause: 'the gateway does not take the model "default", for which doctor asks',
  hint: 'have the gateway\'s operators map the model "default" to one of theirs, or try a turn in the client itself, with a model that it offers',
}

function isAboutModel(text: string): boolean {
  const { code, message = '' } = parseRefusal(text)
  return /\bmodel\b/i.test(message) || /model/i.test(code ?? '')
}

function explainLimit(headers: Headers): PartExplanation {
  const wait = headers.get('retry-after') ?? ''
  const pause = /^\d{1,6}$/.test(wait) ? `after ${wait} s` : 'later'
  return {
    outcome: 'bad',
    cause: 'the gateway lets no more requests through for now (HTTP 429)',
    hint: `try again ${pause}; if it stays so, ask the gateway's operators for the limit of this identity`,
  }
}

function explainRefusedRequest({ status, headers, text }: GatewayAnswer): PartExplanation {
  if (isAboutModel(text)) return unknownModel
  const isAboutHeader = /\bheader/i.test(parseRefusal(text).message ?? '')
  return {
    outcome: 'bad',
    cause: `the gateway refuses the request (HTTP ${status})`,
    hint: isAboutHeader
      ? `set the header in inference.customHeaders of the document, or have the helper print it: --header "Name: value"`
      : `compare what it says with inference.baseUrl and inference.customHeaders, where headers are configured (a helper adds some with --header "Name: value"); otherwise give its operators ${nameRequest(headers)}`,
  }
}
