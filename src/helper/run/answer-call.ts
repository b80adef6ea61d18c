import { mergeHeaders } from '../../contract/headers.ts'
import { findOutputProblems, renderOutput } from '../../contract/output.ts'
import type { Deadline } from '../../runtime/deadline.ts'
import { HelperError, toIndentedLine } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { createCall } from '../call/create-call.ts'
import { listWanted } from '../call/header-facts.ts'
import { parseHeaderTemplates, renderHeaders } from '../call/header-template.ts'
import type { UnplannedCall } from '../call/prepare-request.ts'
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

/** Produces the one document of a run from its resolved options. */
export async function answerCall(
  { program, helper, host, others, remembering }: CalledProgram,
  resolved: ResolvedOptions,
  record: CallRecord,
): Promise<Answer> {
  const options = toValues<CommonOptions>(resolved)
  const isOfTwo = hasSecond(options)
  const allowed = options['allow-header']
  const templates = parseHeaderTemplates(program, options.header, helper.facts, { allowed, hasSecond: isOfTwo })
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
  const headers = mergeHeaders(served.headers ?? {}, renderHeaders(templates, facts, allowed))
  const report = async () => {
    const lines = await helper.report?.(host, options, call, served)
    return lines?.map((line) => `${toIndentedLine(line)}\n`).join('')
  }
  const reported = options.explain ? undefined : await report()
  const text = options.explain
    ? await (await import('./explain.ts')).renderExplanation(host, {
        ...{ program, helper, call, resolved, served, headers, key, plan, second },
      })
    : (reported ?? renderToken(program, served, headers, options))
  const isToken = reported === undefined && !options.explain && !isOfTwo
  const remember = async () => {
    const { writeCallMemo } = await import('../memo/write-call-memo.ts')
    await writeCallMemo(host, { resolved, key, request, served }, remembering!)
  }
  return {
    ...{ text, work: call.deadline.isOver() ? 'abandoned' : 'finished', deadline: call.deadline },
    ...(remembering && isToken && { remember }),
  }
}

async function serveSingle(unplanned: UnplannedCall): Promise<ServedPair> {
  const single = await serveCall(unplanned)
  return { ...single, facts: single.served.facts, second: undefined }
}

function renderToken(
  program: string,
  { token }: ServedToken,
  headers: ReturnType<typeof renderHeaders>,
  { format, 'allow-header': allowed }: CommonOptions,
): string {
  const output = { token: token.reveal(), headers }
  const problem = findOutputProblems(output, format, allowed)[0]
  if (problem) throw new HelperError('refused', problem, `use another format or other headers; see: ${program} --help`)
  return renderOutput(output, format)
}
