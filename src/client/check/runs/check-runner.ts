import { randomUUID } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { isContextTold } from '../../../contract/client.ts'
import { findClientContext, isPromptAllowed } from '../../../contract/context.ts'
import { toContextVariables } from '../../../contract/detect-context.ts'
import { refreshCauseVariable } from '../../../contract/refresh.ts'
import { endProcessGroup } from '../../../runtime/host.ts'
import type { Environment } from '../../../runtime/run-process.ts'
import { Secret } from '../../../runtime/secret.ts'
import { vendor } from '../../../vendor.ts'
import { renderRequest } from '../../launch/client-formats.ts'
import { type Launched, type LaunchOptions, launch } from '../../launch/launch.ts'
import type { LaunchCommand } from '../../launch/launch-command.ts'
import { planClientLaunch } from '../../launch/run-for-client.ts'
import {
  type BrowserCall,
  createPromptingRuns,
  type DecoyBrowsers,
  markVariable,
  type PromptingRuns,
  writeDecoyBrowsers,
} from './decoy-browsers.ts'
import { collectExposedFiles, type ExposureSearch } from './exposed-files.ts'
import { parseRunOutput } from './parse-run-output.ts'
import { linuxProcessTable, type ProcessTable, psProcessTable } from './process-table.ts'
import {
  nameTerminalFiles,
  parseTranscript,
  readTerminalFiles,
  startTerminalBound,
  type TerminalOutput,
  wrapInTerminal,
} from './pseudo-terminal.ts'
import { type CheckedHelper, type CheckRunRequest, type Exposure, longestHeldMs, type Run } from './run.ts'
import { SecretSearch } from './secret-search.ts'
import { startWatch, type WatchResult } from './watch-run.ts'

/** Makes and observes runs. Disposal ends every process that they left. */
export interface CheckRunner extends AsyncDisposable {
  /** Every finished run, in the order of their ends. */
  readonly runs: readonly Run[]
  /** The runs that have not ended yet, in the order in which they were started. */
  readonly active: ReadonlySet<ActiveRun>
  /** @throws the signal's reason if the check is interrupted. */
  run(request: CheckRunRequest): Promise<Run>
  /** Searches files that every user can read for secrets that the helper printed. */
  examineFiles(): Promise<ExposureSearch>
}

/** An unfinished run, and when it will be ended. */
export interface ActiveRun {
  readonly title: string
  /** The start of the run, by the monotonic clock of this process. */
  readonly startedAtMs: number
  readonly limitMs: number
}

/** Creates what all runs share: decoy browsers in a directory of their own, and a search for secrets. */
export async function startCheckRunner(subject: CheckedHelper): Promise<CheckRunner> {
  const directory = await mkdtemp(join(tmpdir(), 'helper-check-'))
  await chmod(directory, 0o700)
  const startedAt = Date.now()
  const id = randomUUID()
  const table = findProcessTable(subject.platform)
  const secrets = new SecretSearch(subject.env, subject.args)
  const decoys = await writeDecoyBrowsers(directory)
  const setup: CheckSetup = { subject, directory, secrets, table, decoys, prompting: createPromptingRuns(), last: {} }
  const runs: Run[] = []
  const active = new Set<ActiveRun>()
  let started = 0
  return {
    runs,
    active,
    run: async (request) => {
      subject.signal.throwIfAborted()
      started += 1
      const waiting = { title: request.title, startedAtMs: performance.now(), limitMs: request.limitMs }
      active.add(waiting)
      try {
        const run = await observeRun(setup, request, `${id}.${started};`)
        runs.push(run)
        return run
      } finally {
        active.delete(waiting)
      }
    },
    examineFiles: () => collectExposedFiles(secrets, subject.env, startedAt),
    [Symbol.asyncDispose]: async () => {
      if (started > 0) await endMarkedProcesses(table, `${id}.`)
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Finds the process table; `undefined` on platforms without one for us. */
function findProcessTable(platform: NodeJS.Platform): ProcessTable | undefined {
  if (platform === 'linux') return linuxProcessTable
  return platform === 'darwin' ? psProcessTable : undefined
}

/** Ends every process that runs with this mark started, in any session. A prefix of several marks ends the processes of all these runs. */
async function endMarkedProcesses(table: ProcessTable | undefined, mark: string): Promise<void> {
  for (const group of (await table?.listGroupsWith(`${markVariable}=${mark}`)) ?? []) endProcessGroup(group)
}

/** The shared parts of all runs of a check. */
interface CheckSetup {
  readonly subject: CheckedHelper
  readonly directory: string
  readonly secrets: SecretSearch
  readonly table: ProcessTable | undefined
  readonly decoys: DecoyBrowsers
  readonly prompting: PromptingRuns
  /** The credential of the last run that ended; it is stored nowhere else. */
  readonly last: { token?: Secret }
}

/**
 * Makes one run, records every observation, and ends the processes that the run leaves.
 * @throws the signal's reason if the check is interrupted.
 */
async function observeRun(setup: CheckSetup, request: CheckRunRequest, mark: string): Promise<Run> {
  const { subject, decoys, secrets } = setup
  const { title, context, limitMs, purpose = 'observed', proxy } = request
  const known = findClientContext(context) ?? 'unknown'
  const mayPrompt = isContextTold(subject.client) && isPromptAllowed(known)
  const calledBefore = (await decoys.readCalls()).length
  const connectedBefore = proxy?.connections() ?? 0
  const startedAt = performance.now()
  const { env, files, launched, watched, marks } = await runToEnd(setup, request, { mark, mayPrompt })
  const { stdout, stderr } = files ? await readTerminalFiles(files) : launched
  const endedAt = subject.now()
  const { facts, output } = parseRunOutput(stdout, env, endedAt, subject.client)
  if (output) {
    secrets.add(output)
    setup.last.token = new Secret(output.token)
  }
  let masked: string | undefined
  return {
    title,
    purpose,
    context,
    mayPrompt,
    limitMs,
    isNetworkIntact: proxy === undefined,
    ended: launched.ended,
    durationMs: Math.round(performance.now() - startedAt),
    endedAt,
    output: facts,
    get stderr() {
      masked ??= secrets.mask(stderr)
      return masked
    },
    stderrBytes: Buffer.byteLength(stderr),
    exposures: listExposures(secrets, stderr, watched),
    browsers: listBrowsers((await decoys.readCalls()).slice(calledBefore), marks),
    nesting: watched.nesting,
    proxyConnections: (proxy?.connections() ?? 0) - connectedBefore,
    remotes: watched.remotes,
    terminal: files ? secrets.mask(parseTranscript(launched.stdout)) : '',
  }
}

/** Runs the helper until it ends or reaches its limit. */
async function runToEnd(
  setup: CheckSetup,
  request: CheckRunRequest,
  { mark, mayPrompt }: { readonly mark: string; readonly mayPrompt: boolean },
) {
  const env = createRunEnvironment(setup, request, mark)
  const files = request.stdin === 'terminal' ? nameTerminalFiles(setup.directory, mark) : undefined
  const end = setup.prompting.start(mayPrompt)
  const { launched, watched } = await launchWatched(setup, request, env, files)
  if (launched.ended.how === 'timeout' || launched.ended.how === 'flooded') await endMarkedProcesses(setup.table, mark)
  const marks = end() ? [mark] : [mark, unmarked]
  setup.subject.signal.throwIfAborted()
  return { env, files, launched, watched, marks }
}

function createRunEnvironment({ subject, decoys }: CheckSetup, request: CheckRunRequest, mark: string): Environment {
  const { context: asked, refreshCause = 'expired', proxy, stdin } = request
  const context = isContextTold(subject.client) ? asked : undefined
  const known = findClientContext(context)
  return {
    ...decoys.applyTo({ ...subject.env, ...request.env }),
    ...proxy?.env,
    [vendor.manualRunVariable]: undefined,
    [vendor.contextVariable]: context,
    [refreshCauseVariable]: context === 'mid-session-refresh' ? refreshCause : undefined,
    ...(known && toContextVariables(known)),
    ...subject.client.variables,
    ...(stdin === 'terminal' && { SHELL: '/bin/sh' }),
    [markVariable]: mark,
  }
}

/** Starts the helper as a client does, and watches it and its descendants. */
async function launchWatched(
  { subject, table, last }: CheckSetup,
  { args = subject.args, stdin, limitMs, proxy, operation = 'get', server = subject.server }: CheckRunRequest,
  env: Environment,
  files: TerminalOutput | undefined,
): Promise<{ launched: Launched; watched: WatchResult }> {
  const endless = new AbortController()
  const { client, command } = subject
  const refused = operation === 'erase' ? last.token?.reveal() : undefined
  const text = renderRequest(client.format, { server, refused })
  const call = { command, args, operation: text === undefined ? undefined : operation }
  const resolved = planClientLaunch(client, call, subject.platform)
  if ('problem' in resolved) throw new Error(resolved.problem) // unreachable: validateLaunch reports the problem before any run
  let watch: ReturnType<typeof startWatch> | undefined
  const options: LaunchOptions = {
    ...(text !== undefined && { stdin: { text } }),
    ...(stdin === 'silent' && { stdin }),
    heldMs: longestHeldMs,
    signal: AbortSignal.any([subject.signal, endless.signal]),
    onStart: (pid) => {
      const watches = proxy ? 'processes and connections' : 'processes'
      const watchedRun = {
        pid,
        command: subject.command,
        args,
        env,
        watches,
        onRecursion: () => endless.abort(),
      } as const
      if (table) watch = startWatch(table, watchedRun)
    },
  }
  using bound = files && startTerminalBound(files, () => endless.abort())
  const launched = await launch(wrapCommand(resolved.command, stdin, files, subject.platform), env, limitMs, options)
  const unwatched = { args: [], env: [], nesting: 0, remotes: [] }
  const ended = bound?.isFlooded() ? ({ how: 'flooded' } as const) : launched.ended
  return { launched: { ...launched, ended }, watched: (await watch?.stop()) ?? unwatched }
}

function wrapCommand(
  command: LaunchCommand,
  stdin: CheckRunRequest['stdin'],
  files: TerminalOutput | undefined,
  platform: NodeJS.Platform,
): LaunchCommand {
  if (files) return wrapInTerminal(command, files, platform)
  if (stdin !== 'closed') return command
  return { file: '/bin/sh', args: ['-c', 'exec "$0" "$@" <&-', command.file, ...command.args] }
}

function listExposures(secrets: SecretSearch, stderr: string, watched: WatchResult): Exposure[] {
  const texts = { stderr, arguments: watched.args.join('\n'), environment: watched.env.join('\n') } as const
  return (['stderr', 'arguments', 'environment'] as const).flatMap((where) => {
    const what = secrets.find(texts[where], 'own')
    return what === undefined ? [] : [{ what, where }]
  })
}

/**
 * The mark of a call by a program that had removed the mark from its environment. Among parallel runs, an interactive run made the call.
 */
const unmarked = ''

function listBrowsers(calls: readonly BrowserCall[], marks: readonly string[]): string[] {
  return calls.filter((call) => marks.includes(call.mark)).map(({ name }) => name)
}
