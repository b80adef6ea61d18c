import { toHeaderRules } from '../../contract/client-headers.ts'
import { formatFacts } from '../../contract/formats/output-format.ts'
import type { OutputWriter } from '../../contract/formats/output-writer.ts'
import { plainWriters } from '../../contract/formats/plain-writers.ts'
import { type Headers, mergeHeaders } from '../../contract/headers.ts'
import type { Deadline } from '../../runtime/deadline.ts'
import { HelperError, toIndentedLine } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { createCall } from '../call/create-call.ts'
import { type HeaderTemplate, listWanted } from '../call/header-facts.ts'
import { parseHeaderTemplates } from '../call/header-template.ts'
import type { UnplannedCall } from '../call/prepare-request.ts'
import { renderHeaders } from '../call/render-headers.ts'
import { serveCall } from '../call/serve-call.ts'
import type { AnyHelper } from '../define-helper.ts'
import type { Remembering } from '../memo/write-call-memo.ts'
import type { ServedToken } from '../mint/cached-call.ts'
import { toValues } from '../options/read-options.ts'
import { requireOptions } from '../options/require.ts'
import type { ResolvedOptions } from '../options/resolve.ts'
import { hasSecond } from '../options/second-options.ts'
import type { CommonOptions } from '../options/table.ts'
import type { OtherHelpers } from '../other-helpers.ts'
import type { CallRecord } from '../record/call-record.ts'
import type { ServedPair } from '../second/served-pair.ts'

/** The output of a call, and how it ended. */
export interface Answer {
  /** For stdout. */
  readonly text: string
  /** `abandoned`: some work took too long and still runs, so that the process will not end by itself. */
  readonly work: 'finished' | 'abandoned'
  /** By which it has to be written; `undefined` for a text that a person asked for. */
  readonly deadline?: Deadline
  /** Ends when the text has been written, where that has begun. */
  readonly written?: Promise<void>
  /** Keeps what the call has read for the next one; to be called once the text is written. */
  remember?(): Promise<void>
}

/** A program that is called. */
interface CalledProgram {
  readonly program: string
  readonly helper: AnyHelper
  readonly host: Host
  readonly others: OtherHelpers
  /** Where the call may leave a memo. */
  readonly remembering: Remembering | undefined
}

/**
 * Produces the one document of a run from its resolved options.
 * @param writer Of a format that is loaded on use; otherwise the format's own.
 */
export async function answerCall(
  { program, helper, host, others, remembering }: CalledProgram,
  resolved: ResolvedOptions,
  record: CallRecord,
  writer?: OutputWriter,
): Promise<Answer> {
  const options = toValues<CommonOptions>(resolved)
  const { templates, isOfTwo, isBare } = chooseHeaders(program, options, helper.facts)
  requireOptions(program, helper.options, resolved)
  const call = createCall(program, host, resolved, record, remembering?.observed.host)
  const wantedFacts = new Set(listWanted(templates).first)
  const unplanned = { program, helper, host, options, resolved, call, wantedFacts, record }
  // Loaded on use, because most answers hold one token.
  const serving = isOfTwo
    ? (await import('../second/serve-both.ts')).serveBoth(unplanned, templates, others)
    : serveSingle({ ...unplanned, observed: remembering?.observed })
  const { served, facts, plan, key, request, second } = await serving
  record.served = served.origin
  const headers = isBare
    ? {}
    : mergeHeaders(served.headers ?? {}, renderHeaders(templates, facts, toHeaderRules(options['allow-header'])))
  if (Object.keys(headers).length > 0) refuseHeaders(program, options.format)
  const report = async () => {
    const lines = await helper.report?.(host, options, call, served)
    return lines?.map((line) => `${toIndentedLine(line)}\n`).join('')
  }
  const reported = options.explain ? undefined : await report()
  const text = options.explain
    ? await (await import('./explain.ts')).renderExplanation(host, {
        ...{ helper, call, resolved, served, headers, request, plan, second },
      })
    : (reported ?? renderToken(program, served, headers, options, writer ?? plainWriters[options.format]!))
  // A memo leads to a kept token. It says where headers are, and not that they are left out.
  const isKept = served.origin === 'cache' && request.cache === 'disk'
  const isRemembered = isKept && reported === undefined && !options.explain && !isOfTwo && !isBare
  const remember = async () => {
    const { writeCallMemo } = await import('../memo/write-call-memo.ts')
    await writeCallMemo(host, { resolved, key, request, sourceKind: plan.sourceKind }, remembering!)
  }
  return {
    ...{ text, work: call.deadline.isOver() ? 'abandoned' : 'finished', deadline: call.deadline },
    ...(remembering && isRemembered && { remember }),
  }
}

async function serveSingle(unplanned: UnplannedCall): Promise<ServedPair> {
  const single = await serveCall(unplanned)
  return { ...single, facts: single.served.facts, second: undefined }
}

function renderToken(
  program: string,
  served: ServedToken,
  headers: Headers,
  { 'allow-header': allowed }: CommonOptions,
  writer: OutputWriter,
): string {
  const output = {
    ...{ token: served.token.reveal(), headers },
    // On use, because most formats do not tell it.
    get expiresAt() {
      return served.expiresAt
    },
  }
  const problem = writer.findProblems(output, toHeaderRules(allowed))[0]
  if (problem) throw new HelperError('refused', problem, `use another format or other headers; see: ${program} --help`)
  return writer.render(output)
}

/** What the headers are made from. They are refused before a token is minted where the format cannot carry them. */
function chooseHeaders(
  program: string,
  options: CommonOptions,
  facts: readonly string[],
): { templates: readonly HeaderTemplate[]; isOfTwo: boolean; isBare: boolean } {
  const second = { allowed: options['allow-header'], hasSecond: hasSecond(options) }
  const templates = parseHeaderTemplates(program, options.header, facts, second)
  if (options['no-headers'] || formatFacts[options.format].headers === 'left out')
    return { templates: [], isOfTwo: false, isBare: true }
  if (templates.length > 0) refuseHeaders(program, options.format)
  return { templates, isOfTwo: second.hasSecond, isBare: false }
}

function refuseHeaders(program: string, format: CommonOptions['format']): void {
  const { name, headers } = formatFacts[format]
  if (headers !== 'refused') return
  throw new HelperError(
    'refused',
    `${name} cannot carry headers`,
    `leave them out with --no-headers, or use another format; see: ${program} --help`,
  )
}
