import { detectContext } from '../contract/context.ts'
import { findOutputProblems, renderOutput } from '../contract/output.ts'
import { Deadline } from '../runtime/deadline.ts'
import { HelperError, renderWarning } from '../runtime/failure.ts'
import type { Host } from '../runtime/host.ts'
import { cacheKey } from './cache-key.ts'
import { callLimit } from './call-limit.ts'
import type { AnyHelper, Call, Plan } from './define-helper.ts'
import { renderExplanation } from './explain.ts'
import { parseHeaderTemplates, renderHeaders } from './header-template.ts'
import { type CommonOptions, commonOptions } from './option-table.ts'
import type { ResolvedOption } from './resolve-options.ts'
import { type Served, serveToken } from './serve-token.ts'

/** The text for stdout. */
export interface Answer {
  readonly text: string
  /** `abandoned`: something that took too long is still at work, and the process will not end by itself. */
  readonly work: 'finished' | 'abandoned'
}

/** From settled options to the one document of a run. */
export async function answerCall(
  program: string,
  helper: AnyHelper,
  host: Host,
  resolved: ReadonlyMap<string, ResolvedOption>,
): Promise<Answer> {
  // The table that resolved the options is the one that types them.
  const options = Object.fromEntries([...resolved].map(([name, { value }]) => [name, value])) as CommonOptions
  const templates = parseHeaderTemplates(program, options.header, helper.facts)
  const call = startCall(program, host, options['client-timeout'])
  const plan = await call.deadline.during('reading the configuration', () => helper.plan(host, options, call))
  const key = cacheKey({ program, table: { ...commonOptions, ...helper.options }, options, inputs: plan.inputs })
  const served = await serve(program, helper, host, call, { options, plan, key })
  const headers = renderHeaders(templates, served.facts)
  const text = options.explain
    ? renderExplanation(host, { program, call, resolved, plan, served, headers, key })
    : renderToken(program, served, headers, options.format)
  return { text, work: call.deadline.isOver() ? 'abandoned' : 'finished' }
}

/** A call with its context and its deadline, counted from the start of the process. */
export function startCall(program: string, host: Host, clientTimeoutSec: number): Call {
  const context = detectContext(host.env, host.streams.attached)
  return {
    context,
    deadline: new Deadline(callLimit(context, clientTimeoutSec), host.clock),
    warn: (message) => host.streams.stderr(renderWarning(program, message)),
  }
}

function serve(
  program: string,
  helper: AnyHelper,
  host: Host,
  call: Call,
  { options, plan, key }: { options: CommonOptions; plan: Plan; key: string },
): Promise<Served> {
  return serveToken(host, call, {
    program,
    key,
    cache: options.cache,
    clientTtlSec: options['client-ttl'],
    mint: () => call.deadline.during('getting a token', () => helper.mint(host, options, call, plan)),
  })
}

function renderToken(
  program: string,
  { token }: Served,
  headers: ReturnType<typeof renderHeaders>,
  format: CommonOptions['format'],
): string {
  const output = { token: token.reveal(), headers }
  const problem = findOutputProblems(output, format)[0]
  if (problem) throw new HelperError('refused', problem, `use another format or other headers; see: ${program} --help`)
  return renderOutput(output, format)
}
