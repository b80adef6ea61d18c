// Serves the two tokens of one answer in parallel, each as `cached-or-minted.ts` does.

import { HelperError } from '../../runtime/failure.ts'
import { type HeaderTemplate, splitWanted } from '../../runtime/tokens/header-facts.ts'
import type { ServedToken } from '../cache/store.ts'
import type { OtherHelpers } from '../define-helper.ts'
import { attemptSilently, type ServedPair, type SilentAttempt, serveAfterAttempt } from './cached-or-minted.ts'
import { type Asking, type PlannedRequest, type PreparedRun, planRequest } from './plan-request.ts'
import { joinFacts, prepareSecond, recordSecondFailure } from './prepare-second.ts'

/**
 * Serves two tokens for one answer, in parallel. A person signs in for one after the other, and only after neither is known to fail for
 * another reason.
 * @throws {HelperError} the failure of either run; the second helper's name precedes its message.
 */
export async function serveBoth(
  first: PreparedRun,
  templates: readonly HeaderTemplate[],
  others: OtherHelpers,
  suspicion: Asking['suspicion'],
): Promise<ServedPair> {
  const own = omitSecond(first, templates)
  const [planned, { second, plannedSecond }] = await Promise.all([
    planRequest(own, { suspicion }),
    planSecond(first, templates, others),
  ])
  const recordFailure = (error: unknown) => recordSecondFailure(second.call.program, error, first.record)
  const [one, two] = await Promise.all([attemptSilently(own, planned), attemptSilently(second, plannedSecond)])
  if (isFinal(one)) throw one.failure
  if (isFinal(two)) throw recordFailure(two.failure)
  const servedFirst = await serveAfterAttempt(own, one, { suspicion })
  const servedSecond = await serveAfterAttempt(second, two).catch((error: unknown) => {
    throw recordFailure(error)
  })
  second.record.served = servedSecond.served.origin
  return {
    ...servedFirst,
    served: endWithEarlier(servedFirst.served, servedSecond.served),
    facts: joinFacts(servedFirst, servedSecond),
    second: { ...servedSecond, run: second, first: servedFirst.served },
  }
}

/**
 * Drops the templates without facts of the first token from its run, so that its cache entry serves runs with and without a second token.
 */
function omitSecond(first: PreparedRun, templates: readonly HeaderTemplate[]): PreparedRun {
  const { options, resolved } = first
  const value = options.header.filter((_, index) => isOfFirst(templates[index]!))
  return {
    ...first,
    options: { ...options, header: value },
    resolved: new Map([...resolved, ['header', { ...resolved.get('header')!, value }]]),
  }
}

async function planSecond(
  first: PreparedRun,
  templates: readonly HeaderTemplate[],
  others: OtherHelpers,
): Promise<{ readonly second: PreparedRun; readonly plannedSecond: PlannedRequest }> {
  const second = await prepareSecond(first, templates, others)
  try {
    return { second, plannedSecond: await planRequest(second) }
  } catch (error) {
    throw recordSecondFailure(second.call.program, error, first.record)
  }
}

function isOfFirst(template: HeaderTemplate): boolean {
  const { first, second } = splitWanted([template])
  return first.length > 0 || second.length === 0
}

/** Returns whether an attempt failed for another reason than a missing sign-in. */
function isFinal(attempt: SilentAttempt): attempt is SilentAttempt & { readonly failure: unknown } {
  if ('served' in attempt) return false
  const { failure } = attempt
  return !(failure instanceof HelperError && failure.kind === 'sign-in-required')
}

/** Returns the first token with the earlier expiry of both, because the client uses them together. */
function endWithEarlier(first: ServedToken, second: ServedToken): ServedToken {
  const { token, facts, headers, origin } = first
  return {
    token,
    facts,
    headers,
    origin,
    get expiresAt() {
      const ends = [first.expiresAt, second.expiresAt].filter((end) => end !== undefined)
      return ends.length === 0 ? undefined : new Date(Math.min(...ends.map(Number)))
    },
  }
}
