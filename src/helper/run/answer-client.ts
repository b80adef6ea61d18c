// Answers a client with a token: from the plan to the text for stdout, which `run-helper.ts` writes.

import { toHeaderRules } from '../../contract/client-headers.ts'
import { helperContexts } from '../../contract/context.ts'
import { type Headers, mergeHeaders } from '../../contract/headers.ts'
import { type OutputWriter, toRenderedOutput } from '../../contract/output-format.ts'
import { toSuspicion } from '../../contract/refresh.ts'
import type { Deadline } from '../../runtime/deadline.ts'
import { HelperError, toIndentedLine } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { expandHeaders, type HeaderTemplate, splitWanted } from '../../runtime/tokens/header-facts.ts'
import type { ServedToken, TokenRequest } from '../cache/store.ts'
import { chooseHeaders, refuseHeaders } from '../choose-headers.ts'
import type { AnyHelper, OtherHelpers } from '../define-helper.ts'
import type { Remembering } from '../memo/write-call-memo.ts'
import type { CommonOptions } from '../options/every-helper-options.ts'
import { type ResolvedOptions, refuseUnsetOptions, toValues } from '../options/resolve-options.ts'
import type { CallRecord } from '../record/call-record.ts'
import { type ServedPair, serveOne } from './cached-or-minted.ts'
import { createCall } from './call-settings.ts'
import { type PreparedRun, planRequest } from './plan-request.ts'

/** The text that answers a call, and the work that follows after it has been written. */
export interface CallAnswer {
  /** The whole document for stdout. */
  readonly text: string
  /** `abandoned`: some work took too long and still runs, so the process has to be ended explicitly. */
  readonly work: 'finished' | 'abandoned'
  /** The deadline for writing the text; absent for a text that a person asked for. */
  readonly deadline?: Deadline
  /** Resolves when the text has been written; absent if writing has not begun. */
  readonly written?: Promise<void>
  /** Resolves when the hand-outs have been recorded, or cannot be. This happens while the text is written. */
  readonly recorded?: Promise<void>
  /** Writes the memo for the next call. It is called after the text has been written. */
  remember?(): Promise<void>
}

/** A helper whose options are resolved. */
export interface ConfiguredHelper {
  readonly program: string
  readonly helper: AnyHelper
  readonly host: Host
  readonly resolved: ResolvedOptions
  readonly record: CallRecord
}

/**
 * Answers a client whose options are resolved: plans, takes the token from the cache or mints it, fills in the headers, and renders the
 * text for stdout. `runHelper` writes the text, and then calls `remember`.
 * @param others See `runHelper`.
 */
export async function answerClient(
  configured: ConfiguredHelper,
  others: OtherHelpers,
  { suspicion: clientSuspicion, writer, remembering }: Circumstances = {},
): Promise<CallAnswer> {
  const { program, helper, resolved, record } = configured
  const options = toValues<CommonOptions>(resolved)
  const chosen = chooseHeaders(program, options, helper.facts)
  refuseUnsetOptions(program, helper.options, resolved)
  const run = createRun(configured, options, chosen.templates, remembering?.observed.host)
  const { deadline, context } = run.call
  record.deadline = deadline
  const isAsked = !options.explain && !isToldContext(context)
  const asking = {
    suspicion: clientSuspicion ?? (isAsked ? toSuspicion(options) : undefined),
    observed: remembering?.observed,
  }

  // The second token is loaded on use, because most answers hold one.
  const pair = chosen.isOfTwo
    ? await (await import('./serve-both.ts')).serveBoth(run, chosen.templates, others, asking.suspicion)
    : await serveOne(run, await planRequest(run, asking), asking)
  record.served = pair.served.origin

  const headers = chosen.isBare ? {} : expandAllHeaders(pair, chosen.templates, options)
  if (Object.keys(headers).length > 0) refuseHeaders(program, options.format)

  const report = options.explain ? undefined : await renderReport(run, pair.served)
  const text = options.explain
    ? await explain(run, pair, headers)
    : (report ?? renderToken(run, pair.served, headers, writer))
  const isRecorded = report === undefined && isHandOutRecorded(context, pair.request)
  const isRemembered = report === undefined && !chosen.isOfTwo && isKept(pair)
  return {
    text,
    deadline,
    work: deadline.isOver() ? 'abandoned' : 'finished',
    ...(isRecorded && { recorded: recordHandOuts(run, pair) }),
    ...(remembering && isRemembered && { remember: () => writeMemo(run, pair, remembering) }),
  }
}

/** The additions of the client's format and of the memo to a call. */
interface Circumstances {
  readonly suspicion?: TokenRequest['suspicion']
  /** The writer of a format that is loaded on use; absent: the format's own writer. */
  readonly writer?: OutputWriter
  readonly remembering?: Remembering | undefined
}

function createRun(
  { program, helper, host, resolved, record }: ConfiguredHelper,
  options: CommonOptions,
  templates: readonly HeaderTemplate[],
  readHost?: Host,
): PreparedRun {
  const call = createCall(program, host, resolved, record, readHost)
  const wantedFacts = new Set(splitWanted(templates).first)
  return { helper, host, resolved, options, record, call: { ...call, wantedFacts } }
}

/** Joins the headers of the source with those of the options, which take precedence. */
function expandAllHeaders(
  { served, facts }: ServedPair,
  templates: readonly HeaderTemplate[],
  { 'allow-header': allowed }: CommonOptions,
): Headers {
  return mergeHeaders(served.headers ?? {}, expandHeaders(templates, facts, toHeaderRules(allowed)))
}

/** Renders lines about the token, to be printed instead of it; `undefined` if no option asks for them. */
async function renderReport(
  { helper, host, options, call }: PreparedRun,
  served: ServedToken,
): Promise<string | undefined> {
  const lines = await helper.report?.(host, options, call, served)
  return lines?.map((line) => `${toIndentedLine(line)}\n`).join('')
}

async function explain(run: PreparedRun, pair: ServedPair, headers: Headers): Promise<string> {
  const { renderExplanation } = await import('./render-explanation.ts')
  return renderExplanation(run, pair, headers)
}

function renderToken(
  { host, call, options: { format, 'allow-header': allowed } }: PreparedRun,
  served: ServedToken,
  headers: Headers,
  writer?: OutputWriter,
): string {
  const output = {
    token: served.token.reveal(),
    headers,
    now: host.clock.now(),
    // A getter, because most formats do not print the expiry.
    get expiresAt() {
      return served.expiresAt?.getTime()
    },
  }
  const rendered = toRenderedOutput(output, { format, rules: toHeaderRules(allowed) }, writer)
  if ('text' in rendered) return rendered.text
  const hint = `use another format or other headers; see: ${call.program} --help`
  throw new HelperError('refused', rendered.problems[0]!, hint)
}

/** Returns whether the client has named a context, and so the reason of its request. */
function isToldContext(context: PreparedRun['call']['context']): boolean {
  return helperContexts.some((named) => named === context)
}

/**
 * Returns whether this call's token counts as a hand-out. `--explain` prints no token, and a client that names no context and raises no
 * suspicion is not known to ask for a refresh.
 */
function isHandOutRecorded(
  context: PreparedRun['call']['context'],
  { suspicion, isExplained }: Pick<TokenRequest, 'suspicion' | 'isExplained'>,
): boolean {
  return !isExplained && (isToldContext(context) || suspicion !== undefined)
}

/** Returns whether the token was served from the cache on disk and printed, so that a memo can lead to it. */
function isKept({ served, request }: ServedPair): boolean {
  return served.origin === 'cache' && request.cache === 'disk' && !request.isExplained
}

/** Records that the client's process got the tokens, so that a later refresh can be assigned to the refused one. */
async function recordHandOuts(
  { host, call, record }: PreparedRun,
  { served, request, second }: ServedPair,
): Promise<void> {
  const { recordHandOut } = await import('../cache/record-hand-out.ts')
  await recordHandOut(host, { call, request, served: second?.first ?? served, refresh: record.refresh })
  if (second)
    await recordHandOut(host, {
      call,
      request: second.request,
      served: second.served,
      refresh: second.run.record.refresh,
    })
}

async function writeMemo(
  { host, resolved }: PreparedRun,
  printed: ServedPair,
  remembering: Remembering,
): Promise<void> {
  const { writeCallMemo } = await import('../memo/write-call-memo.ts')
  await writeCallMemo(host, resolved, printed, remembering)
}
