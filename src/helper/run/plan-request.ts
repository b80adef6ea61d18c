// Plans a run without asking anybody, and derives the request to the cache.

import { formatFacts } from '../../contract/output-format.ts'
import { mintStage } from '../../runtime/deadline.ts'
import { describeWaiting } from '../../runtime/disk.ts'
import { toHelperError } from '../../runtime/failure.ts'
import { locateCacheDirectory } from '../../runtime/files/private-files.ts'
import type { Host } from '../../runtime/host.ts'
import { vendor } from '../../vendor.ts'
import { computeCacheKey, isPartOfKey, type TokenRequest } from '../cache/store.ts'
import type { AnyHelper, Call, MintedToken, NetworkCall, Plan, UsedAssertions } from '../define-helper.ts'
import type { ObservedCall } from '../memo/observed-call.ts'
import { type CommonOptions, commonOptions } from '../options/every-helper-options.ts'
import type { OptionTable } from '../options/option-table.ts'
import { describeOptions, type ResolvedOptions } from '../options/resolve-options.ts'
import type { CallRecord } from '../record/call-record.ts'

/** A helper's run for one token, before it plans. */
export interface PreparedRun {
  readonly helper: AnyHelper
  readonly host: Host
  readonly resolved: ResolvedOptions
  /** The values of {@link resolved}, without their origins. */
  readonly options: CommonOptions
  readonly call: NetworkCall
  readonly record: CallRecord
}

/** A run's plan, and the request to the cache that follows from it. Planning asks nobody. */
export interface PlannedRequest {
  readonly plan: Plan
  readonly request: TokenRequest
}

/** The additions of the client and of the memo to the request for a first token. Neither adds anything to that for a second one. */
export interface Asking {
  readonly suspicion?: TokenRequest['suspicion']
  /** Records what the plan reads, for the memo of the call. */
  readonly observed?: ObservedCall | undefined
}

/** Plans a run, and derives the request for its token from the plan. */
export async function planRequest(run: PreparedRun, { suspicion, observed }: Asking = {}): Promise<PlannedRequest> {
  const plan = await planRun(run, observed)
  const request = createRequest(run, plan, suspicion)
  Object.assign(run.record, { uses: plan.steps, sourceKind: plan.sourceKind, key: request.key })
  return { plan, request }
}

async function planRun({ helper, host, options, call }: PreparedRun, observed?: ObservedCall): Promise<Plan> {
  const plan = await call.deadline.during(
    'configuration',
    () => `reading the configuration${describeWaiting()}`,
    () => helper.plan(observed?.host ?? host, options, observed ? observeContext(call, observed) : call),
  )
  observed?.stop()
  return plan
}

/** Returns a call that rules out a memo if the plan reads the context, which differs from call to call. */
function observeContext(call: NetworkCall, { spoil }: ObservedCall): NetworkCall {
  return {
    ...call,
    get context() {
      spoil()
      return call.context
    },
  }
}

function createRequest(run: PreparedRun, plan: Plan, suspicion: TokenRequest['suspicion']): TokenRequest {
  const { helper, host, options, resolved, call, record } = run
  const { program } = call
  const { noteRefusal } = helper
  const table = { ...commonOptions, ...helper.options }
  const key = computeCacheKey({ program, table, options, inputs: plan.inputs, vendor })
  return {
    program,
    key,
    suspicion,
    isExplained: options.explain,
    cache: plan.isSignedOut ? 'none' : options.cache,
    ...toTtl(resolved, options),
    renewEarly: options['renew-early'],
    longestTtlSec: helper.longestTtlSec,
    notBefore: options['not-before'] === undefined ? undefined : Date.parse(options['not-before']),
    caller: { argv: host.argv, env: host.env, variables: listNamedVariables(table, options) },
    watched: plan.dependence?.watched,
    // A getter, because only a new entry needs it.
    get uses() {
      return [...plan.steps, ...describeOptions(new Map([...resolved].filter(([name]) => isPartOfKey(table, name))))]
    },
    noteRefresh: (refresh) => {
      record.refresh = refresh
    },
    ...(noteRefusal && { noteRefusal: async (refresh) => noteRefusal(host, options, call, plan, refresh) }),
    noteUnrenewed: (error) => {
      record.unrenewed = toHelperError(error)
    },
    mint: (usedAssertions, mintCall) => mint(run, { plan, key, usedAssertions }, mintCall),
  }
}

/** Chooses the ttl. A client that reads the token's expiry needs none, but a ttl that is set still counts. */
function toTtl(resolved: ResolvedOptions, options: CommonOptions): Pick<TokenRequest, 'clientTtlSec' | 'isEndTold'> {
  const { renewedBeforeSec } = formatFacts[options.format]
  const isDefault = resolved.get('client-ttl')?.origin.from === 'default'
  const clientTtlSec = isDefault && renewedBeforeSec !== undefined ? renewedBeforeSec : options['client-ttl']
  return { clientTtlSec, isEndTold: renewedBeforeSec !== undefined }
}

/** Lists the variables that options name, such as one that holds an identity token. */
function listNamedVariables(table: OptionTable, options: Readonly<Record<string, unknown>>): string[] {
  const names = Object.keys(table).filter((name) => table[name]?.names === 'variable')
  return names.flatMap((name) => (options[name] ?? []) as string | readonly string[]) // a text or a list
}

/** The values that a mint needs besides the run. */
interface MintParts {
  readonly plan: Plan
  readonly key: string
  readonly usedAssertions: UsedAssertions
}

/** Mints a token with the run's helper. Its context and deadline come from `call`, because an early renewal has others than its run. */
async function mint(
  { helper, host, options, call, record }: PreparedRun,
  { plan, key, usedAssertions }: MintParts,
  { context, deadline, renews, refresh, warn }: Call,
): Promise<MintedToken> {
  const begin = host.clock.elapsedMs()
  const removeToken = async (dropped: string) => {
    const { removeRefused } = await import('../cache/read-refusal.ts')
    const location = { directory: locateCacheDirectory(host), program: call.program, key }
    await removeRefused(location, ({ digest }) => digest === dropped, host)
  }
  const mintCall = {
    ...call,
    context,
    deadline,
    renews,
    refresh,
    warn,
    usedAssertions,
    removeToken,
    ownProgram: host,
  }
  return deadline.whole
    .during('mint', mintStage, () => helper.mint(host, options, mintCall, plan))
    .finally(() => {
      record.mintMs = host.clock.elapsedMs() - begin
    })
}
