import { HelperError } from '../../runtime/failure.ts'
import { type HeaderTemplate, listWanted } from '../call/header-facts.ts'
import { type PreparedRequest, prepareRequest, type UnplannedCall } from '../call/prepare-request.ts'
import { type Attempt, attemptCall, serveAttempt } from '../call/serve-call.ts'
import type { ServedToken } from '../mint/cached-call.ts'
import type { OtherHelpers } from '../other-helpers.ts'
import { prepareSecond } from './prepare-second.ts'
import { joinFacts } from './second-facts.ts'
import { toSecondFailure } from './second-failure.ts'
import type { ServedPair } from './served-pair.ts'

/**
 * Serves two tokens for one answer, side by side. Where people have to sign in, they do so for one after the other, and not
 * before both are known to lack nothing else.
 * @throws {HelperError} the failure of either; of the second with its name.
 */
export async function serveBoth(
  first: UnplannedCall,
  templates: readonly HeaderTemplate[],
  others: OtherHelpers,
): Promise<ServedPair> {
  const own = omitSecond(first, templates)
  const [prepared, second] = await Promise.all([prepareRequest(own), planSecond(first, templates, others)])
  const fail = (error: unknown): never => {
    throw toSecondFailure(second.program, error, first.record)
  }
  const [one, two] = await Promise.all([attemptCall(own, prepared), attemptCall(second, second.prepared)])
  if (isFinal(one)) throw one.failure
  if (isFinal(two)) fail(two.failure)
  const servedFirst = await serveAttempt(own, one)
  const servedSecond = await serveAttempt(second, two).catch(fail)
  second.record.served = servedSecond.served.origin
  return {
    ...servedFirst,
    served: endWithEarlier(servedFirst.served, servedSecond.served),
    facts: joinFacts(servedFirst, servedSecond),
    second: { ...servedSecond, unplanned: second, first: servedFirst.served },
  }
}

async function planSecond(
  first: UnplannedCall,
  ...rest: [readonly HeaderTemplate[], OtherHelpers]
): Promise<UnplannedCall & { readonly prepared: PreparedRequest }> {
  const second = await prepareSecond(first, ...rest)
  try {
    return { ...second, prepared: await prepareRequest(second) }
  } catch (error) {
    throw toSecondFailure(second.program, error, first.record)
  }
}

/** Without the headers that hold nothing of the first token, so that its entry in the cache serves runs with and without a second. */
function omitSecond(first: UnplannedCall, templates: readonly HeaderTemplate[]): UnplannedCall {
  const { options, resolved } = first
  const value = options.header.filter((_, index) => isOfFirst(templates[index]!))
  const origin = resolved.get('header')?.origin ?? ''
  return {
    ...first,
    options: { ...options, header: value },
    resolved: new Map([...resolved, ['header', { value, origin }]]),
  }
}

function isOfFirst(template: HeaderTemplate): boolean {
  const { first, second } = listWanted([template])
  return first.length > 0 || second.length === 0
}

/** Whether an attempt failed for another reason than that somebody has to sign in. */
function isFinal(attempt: Attempt): attempt is Attempt & { readonly failure: unknown } {
  if ('served' in attempt) return false
  const { failure } = attempt
  return !(failure instanceof HelperError && failure.kind === 'sign-in-required')
}

/** The first token, good for as long as both are. */
function endWithEarlier(first: ServedToken, second: ServedToken): ServedToken {
  const { token, facts, headers, origin } = first
  return {
    ...{ token, facts, headers, origin },
    get expiresAt() {
      const ends = [first.expiresAt, second.expiresAt].filter((end) => end !== undefined)
      return ends.length === 0 ? undefined : new Date(Math.min(...ends.map(Number)))
    },
  }
}
