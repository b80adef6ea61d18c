import { detectContext } from '../contract/context.ts'
import { clientDefaults } from '../contract/limits.ts'
import { findOutputProblems, renderOutput } from '../contract/output.ts'
import { Deadline } from '../runtime/deadline.ts'
import { exitStatus, HelperError, renderFailure, renderWarning, toHelperError } from '../runtime/failure.ts'
import type { Host } from '../runtime/host.ts'
import { parseArguments } from './arguments.ts'
import { cacheKey } from './cache-key.ts'
import { callLimit } from './call-limit.ts'
import type { AnyHelper, Call } from './define-helper.ts'
import { renderExplanation } from './explain.ts'
import { parseHeaderTemplates, renderHeaders } from './header-template.ts'
import { renderHelp, renderVersion } from './help.ts'
import { optionFilePaths, readOptionFile } from './option-files.ts'
import { type CommonOptions, commonOptions, type OptionTable } from './option-table.ts'
import type { Value } from './option-value.ts'
import { refuseInsideCredentialProcess } from './recursion.ts'
import { type ResolvedOption, resolveOptions } from './resolve-options.ts'
import { serveToken } from './serve-token.ts'

/** How a run ended, for the outermost line: `abandoned` means that something is still waiting. */
export interface Ending {
  readonly status: number
  readonly work: 'finished' | 'abandoned'
}

/** Runs a helper as a client does: one document on stdout and silence on stderr, or nothing on stdout and a message. */
export async function runHelper(program: string, helper: AnyHelper, host: Host): Promise<Ending> {
  try {
    print(host, await produce(program, helper, host))
    return { status: 0, work: 'finished' }
  } catch (thrown) {
    const failure = toHelperError(thrown)
    host.streams.stderr(renderFailure(program, failure))
    return { status: exitStatus[failure.kind], work: failure.kind === 'late' ? 'abandoned' : 'finished' }
  }
}

/** Everything up to the text for stdout. */
async function produce(program: string, helper: AnyHelper, host: Host): Promise<string> {
  const table = { ...commonOptions, ...helper.options }
  const given = parseArguments(program, table, host.argv)
  if (given.get('help')) return renderHelp(program, helper, optionFilePaths(host, program))
  if (given.get('version')) return renderVersion(program, host.runtimeVersion)
  refuseInsideCredentialProcess(host.env)
  const call = startCall(program, host, Number(given.get('client-timeout') ?? clientDefaults.timeoutSec))
  const resolved = await call.deadline.during('reading the configuration files', () =>
    settleOptions(program, table, host, given),
  )
  return answer(program, helper, host, resolved)
}

async function answer(
  program: string,
  helper: AnyHelper,
  host: Host,
  resolved: ReadonlyMap<string, ResolvedOption>,
): Promise<string> {
  // The table that resolved the options is the one that types them.
  const options = Object.fromEntries([...resolved].map(([name, { value }]) => [name, value])) as CommonOptions
  const templates = parseHeaderTemplates(program, options.header, helper.facts)
  const call = startCall(program, host, options['client-timeout'])
  const plan = await call.deadline.during('reading the configuration', () => helper.plan(host, options, call))
  const key = cacheKey({ program, table: { ...commonOptions, ...helper.options }, options, inputs: plan.inputs })
  const served = await serveToken(host, call, {
    program,
    key,
    cache: options.cache,
    clientTtlSec: options['client-ttl'],
    mint: () => call.deadline.during('getting a token', () => helper.mint(host, options, call, plan)),
  })
  const headers = renderHeaders(templates, served.facts)
  if (options.explain) return renderExplanation(host, { program, call, resolved, plan, served, headers, key })
  const output = { token: served.token.reveal(), headers }
  const problem = findOutputProblems(output, options.format)[0]
  if (problem) throw new HelperError('refused', problem, `use another format or other headers; see: ${program} --help`)
  return renderOutput(output, options.format)
}

async function settleOptions(
  program: string,
  table: OptionTable,
  host: Host,
  given: ReadonlyMap<string, Value>,
): Promise<Map<string, ResolvedOption>> {
  const paths = optionFilePaths(host, program)
  const [user, machine] = await Promise.all([
    readOptionFile({ path: paths.user, kind: 'user', platform: host.platform }, table),
    readOptionFile({ path: paths.machine, kind: 'machine', platform: host.platform }, table),
  ])
  return resolveOptions(program, table, { arguments: given, env: host.env, user, machine })
}

function startCall(program: string, host: Host, clientTimeoutSec: number): Call {
  const context = detectContext(host.env, host.streams.attached)
  return {
    context,
    deadline: new Deadline(callLimit(context, clientTimeoutSec), host.clock),
    warn: (message) => host.streams.stderr(renderWarning(program, message)),
  }
}

function print(host: Host, text: string): void {
  try {
    host.streams.stdout(text)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new HelperError('unavailable', `stdout cannot be written (${code})`, 'keep the reader of stdout open', {
      cause,
    })
  }
}
