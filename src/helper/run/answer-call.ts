import { isPromptAllowed } from '../../contract/context.ts'
import { mergeHeaders } from '../../contract/headers.ts'
import { findOutputProblems, renderOutput } from '../../contract/output.ts'
import type { Deadline } from '../../runtime/deadline.ts'
import { HelperError, toIndentedLine } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import type { AnyHelper } from '../define-helper.ts'
import type { ServedToken } from '../mint/cached-call.ts'
import { serveToken } from '../mint/serve-token.ts'
import { toValues } from '../options/read-options.ts'
import { requireOptions } from '../options/require.ts'
import type { ResolvedOptions } from '../options/resolve.ts'
import type { CommonOptions } from '../options/table.ts'
import type { CallRecord } from '../record/call-record.ts'
import { createCall } from './create-call.ts'
import { listWanted, parseHeaderTemplates, renderHeaders } from './header-template.ts'
import { prepareRequest } from './prepare-request.ts'

/** The output of a call, and how it ended. */
export interface Answer {
  /** For stdout. */
  readonly text: string
  /** `abandoned`: some work took too long and still runs, so that the process will not end by itself. */
  readonly work: 'finished' | 'abandoned'
  /** By which it has to be written; `undefined` for a text that a person asked for. */
  readonly deadline?: Deadline
}

/** Produces the one document of a run from its resolved options. */
export async function answerCall(
  program: string,
  helper: AnyHelper,
  host: Host,
  resolved: ResolvedOptions,
  record: CallRecord,
): Promise<Answer> {
  const options = toValues<CommonOptions>(resolved)
  const templates = parseHeaderTemplates(program, options.header, helper.facts)
  requireOptions(program, helper.options, resolved)
  const call = createCall(program, host, resolved, record)
  const wantedFacts = new Set(listWanted(templates))
  const prepare = () => prepareRequest({ program, helper, host, options, resolved, call, wantedFacts, record })
  let prepared = await prepare()
  const served = await serveToken(host, call, prepared.request).catch(async (failure: unknown) => {
    const { signIn } = helper
    if (!signIn) throw failure
    const { serveAfterSignIn } = await import('../mint/serve-after-sign-in.ts')
    return serveAfterSignIn(failure, {
      ...{ host, call },
      // An explanation is read by somebody who wants to know what would happen.
      mayAsk: isPromptAllowed(call.context) && !options.explain,
      findSignIn: () => signIn(host, options, call, prepared.plan),
      prepare: async () => {
        prepared = await prepare()
        return prepared.request
      },
    })
  })
  record.served = served.origin
  const headers = mergeHeaders(served.headers ?? {}, renderHeaders(templates, served.facts))
  const { plan, key } = prepared
  const uses = async () => (await helper.explain?.(plan)) ?? plan.steps
  const report = async () => {
    const lines = await helper.report?.(host, options, call, served)
    return lines?.map((line) => `${toIndentedLine(line)}\n`).join('')
  }
  const text = options.explain
    ? (await import('./explain.ts')).renderExplanation(host, {
        ...{ program, call, resolved, served, headers, key },
        uses: await uses(),
      })
    : ((await report()) ?? renderToken(program, served, headers, options.format))
  return { text, work: call.deadline.isOver() ? 'abandoned' : 'finished', deadline: call.deadline }
}

function renderToken(
  program: string,
  { token }: ServedToken,
  headers: ReturnType<typeof renderHeaders>,
  format: CommonOptions['format'],
): string {
  const output = { token: token.reveal(), headers }
  const problem = findOutputProblems(output, format)[0]
  if (problem) throw new HelperError('refused', problem, `use another format or other headers; see: ${program} --help`)
  return renderOutput(output, format)
}
