import { toHeaderRules } from '../../contract/client-headers.ts'
import { type Headers, mergeHeaders } from '../../contract/headers.ts'
import { type OutputWriter, plainWriters } from '../../contract/output-writer.ts'
import { toSuspicion } from '../../contract/refresh.ts'
import type { Deadline } from '../../runtime/deadline.ts'
import { HelperError, toIndentedLine } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { type HeaderTemplate, listWanted, renderHeaders } from '../../runtime/tokens/header-facts.ts'
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

/** The text that answers a call, and what the run does after it has written the text. */
export interface CallAnswer {
  /** The whole text for stdout. */
  readonly text: string
  /** `abandoned`: some work took too long and still runs, so that the process will not end by itself. */
  readonly work: 'finished' | 'abandoned'
  /** The deadline for writing it; `undefined` for a text that a person asked for. */
  readonly deadline?: Deadline
  /** Ends when the text has been written, if that has begun. */
  readonly written?: Promise<void>
  /** Ends when it is recorded that the client's process is handed the tokens, or cannot be; meanwhile the text is written. */
  readonly recorded?: Promise<void>
  /** Keeps what the call has read for the next one; to be called once the text is written. */
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
 * Answers a client whose options are resolved: plans, takes the token from the cache or mints it, fills in headers, and renders the
 * text for stdout. The run writes the text, and calls `remember` after that.
 * @param others The helpers of the same program, of which one may give a second token.
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

  const headers = chosen.isBare ? {} : renderAllHeaders(pair, chosen.templates, options)
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

/** The facts about the client besides the options, and the place for the memo of the call. */
interface Circumstances {
  readonly suspicion?: TokenRequest['suspicion']
  /** Writes a format that is loaded on use; otherwise the format's own writer does. */
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
  const wantedFacts = new Set(listWanted(templates).first)
  return { helper, host, resolved, options, record, call: { ...call, wantedFacts } }
}

/** The headers that the source gave with the token, and those of the options, which count before them. */
function renderAllHeaders(
  { served, facts }: ServedPair,
  templates: readonly HeaderTemplate[],
  { 'allow-header': allowed }: CommonOptions,
): Headers {
  return mergeHeaders(served.headers ?? {}, renderHeaders(templates, facts, toHeaderRules(allowed)))
}

async function explain(run: PreparedRun, pair: ServedPair, headers: Headers): Promise<string> {
  const { renderExplanation } = await import('./render-explanation.ts')
  return renderExplanation(run, pair, headers)
}

/** Lines about the token in its place; `undefined` if no option asks for them. */
async function renderReport(
  { helper, host, options, call }: PreparedRun,
  served: ServedToken,
): Promise<string | undefined> {
  const lines = await helper.report?.(host, options, call, served)
  return lines?.map((line) => `${toIndentedLine(line)}\n`).join('')
}

function renderToken(
  { host, call, options: { format, 'allow-header': allowed } }: PreparedRun,
  served: ServedToken,
  headers: Headers,
  writer: OutputWriter = plainWriters[format]!,
): string {
  const output = {
    token: served.token.reveal(),
    headers,
    now: host.clock.now(),
    // On use, because most formats do not tell it.
    get expiresAt() {
      return served.expiresAt?.getTime()
    },
  }
  const problem = writer.findProblems(output, toHeaderRules(allowed))[0]
  if (problem)
    throw new HelperError('refused', problem, `use another format or other headers; see: ${call.program} --help`)
  return writer.render(output)
}

/** A client that names a context says why it asks. */
function isToldContext(context: PreparedRun['call']['context']): boolean {
  return context !== 'terminal' && context !== 'unknown'
}

/** An explanation hands out no token. A client that names no context is not known to refresh, so that a hand-out to it tells nothing. */
function isHandOutRecorded(
  context: PreparedRun['call']['context'],
  { suspicion, isExplained }: Pick<TokenRequest, 'suspicion' | 'isExplained'>,
): boolean {
  return !isExplained && (isToldContext(context) || suspicion !== undefined)
}

/** Records that the client's process was handed the tokens, so that a later refresh knows which one was refused. */
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

/** A memo leads to a kept token, and not to an explanation of it. */
function isKept({ served, request }: ServedPair): boolean {
  return served.origin === 'cache' && request.cache === 'disk' && !request.isExplained
}

async function writeMemo(
  { host, resolved }: PreparedRun,
  printed: ServedPair,
  remembering: Remembering,
): Promise<void> {
  const { writeCallMemo } = await import('../memo/write-call-memo.ts')
  await writeCallMemo(host, resolved, printed, remembering)
}
