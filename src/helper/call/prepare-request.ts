import { formatFacts } from '../../contract/formats/output-format.ts'
import { describeWaiting } from '../../runtime/disk.ts'
import { toHelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { computeCacheKey, isPartOfKey } from '../cache/key.ts'
import type { AnyHelper, NetworkCall, Plan } from '../define-helper.ts'
import type { ObservedCall } from '../memo/observed-call.ts'
import type { TokenRequest } from '../mint/cached-call.ts'
import { describeOptions } from '../options/describe.ts'
import type { ResolvedOptions } from '../options/resolve.ts'
import { type CommonOptions, commonOptions } from '../options/table.ts'
import type { CallRecord } from '../record/call-record.ts'

/** A call of which only the plan is missing. */
export interface UnplannedCall {
  readonly program: string
  readonly helper: AnyHelper
  readonly host: Host
  readonly options: CommonOptions
  readonly resolved: ResolvedOptions
  readonly call: NetworkCall
  readonly wantedFacts: ReadonlySet<string>
  readonly record: CallRecord
  /** Observes what the plan reads, for the memo of the call. */
  readonly observed?: ObservedCall | undefined
}

/** What the cache is asked for, and the plan that it was made from. */
export interface PreparedRequest {
  readonly plan: Plan
  readonly key: string
  readonly request: TokenRequest
}

/** Plans a call, by which the request for its token is known. */
export async function prepareRequest(unplanned: UnplannedCall): Promise<PreparedRequest> {
  const { program, helper, host, options, resolved, call, wantedFacts, record, observed } = unplanned
  const plan = await call.deadline.during(
    'configuration',
    () => `reading the configuration${describeWaiting()}`,
    () => helper.plan(observed?.host ?? host, options, observed ? observeContext(call, observed) : call),
  )
  observed?.stop()
  const table = { ...commonOptions, ...helper.options }
  const key = computeCacheKey({ program, table, options, inputs: plan.inputs })
  Object.assign(record, { uses: plan.steps, sourceKind: plan.sourceKind, key })
  const request: TokenRequest = {
    program,
    key,
    cache: plan.isSignedOut ? 'none' : options.cache,
    ...toTtl(resolved, options),
    renewEarly: options['renew-early'],
    longestTtlSec: helper.longestTtlSec,
    notBefore: options['not-before'] === undefined ? undefined : Date.parse(options['not-before']),
    caller: host,
    // Computed for a new entry only.
    get uses() {
      return [...plan.steps, ...describeOptions(new Map([...resolved].filter(([name]) => isPartOfKey(table, name))))]
    },
    noteUnrenewed: (error) => {
      record.unrenewed = toHelperError(error)
    },
    mint: async (usedAssertions, { context, deadline, renews, warn }) => {
      const begin = host.clock.elapsedMs()
      const mintCall = { ...call, context, deadline, renews, warn, usedAssertions, wantedFacts }
      return deadline.whole
        .during('mint', 'getting a token', () => helper.mint(host, options, mintCall, plan))
        .finally(() => {
          record.mintMs = host.clock.elapsedMs() - begin
        })
    },
  }
  return { plan, key, request }
}

/** The context differs from call to call, so that a plan which asks for it is made each time. */
function observeContext(call: NetworkCall, { spoil }: ObservedCall): NetworkCall {
  return {
    ...call,
    get context() {
      spoil()
      return call.context
    },
  }
}

/** A client that is told when the token ends needs no ttl; one that is set counts all the same. */
function toTtl(resolved: ResolvedOptions, options: CommonOptions): Pick<TokenRequest, 'clientTtlSec' | 'isEndTold'> {
  const { renewedBeforeSec } = formatFacts[options.format]
  const isDefault = resolved.get('client-ttl')?.origin === 'default'
  const clientTtlSec = isDefault && renewedBeforeSec !== undefined ? renewedBeforeSec : options['client-ttl']
  return { clientTtlSec, isEndTold: renewedBeforeSec !== undefined }
}
