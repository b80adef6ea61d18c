import { performance } from 'node:perf_hooks'
import { helperContexts, isPromptAllowed } from '../../../contract/context.ts'
import { toContextVariables } from '../../../contract/detect-context.ts'
import type { Environment } from '../../../runtime/environment.ts'
import { Secret } from '../../../runtime/secret.ts'
import { vendor } from '../../../vendor.ts'
import { resolveClientLaunch } from '../../launch/client-launch.ts'
import { createClientVariables, renderRequest } from '../../launch/client-request.ts'
import { type Launched, type LaunchOptions, launch } from '../../launch/launch.ts'
import type { LaunchCommand } from '../../launch/launch-command.ts'
import { type BrowserCall, type DecoyBrowsers, markVariable } from './decoy-browsers.ts'
import { endMarkedProcesses } from './end-marked-processes.ts'
import { parseRunOutput } from './parse-run-output.ts'
import type { ProcessTable } from './processes/process-table.ts'
import { startWatch, type WatchResult } from './processes/watch-run.ts'
import type { PromptingRuns } from './prompting-runs.ts'
import {
  nameTerminalFiles,
  readTerminal,
  readTerminalFiles,
  type TerminalOutput,
  wrapInTerminal,
} from './pseudo-terminal.ts'
import type { Exposure, Run } from './run.ts'
import type { RunRequest, Subject } from './run-request.ts'
import type { SecretSearch } from './secret-search.ts'

/** What all runs of a check share. */
export interface CheckSetup {
  readonly subject: Subject
  readonly directory: string
  readonly secrets: SecretSearch
  readonly table: ProcessTable | undefined
  readonly decoys: DecoyBrowsers
  readonly prompting: PromptingRuns
  /** The credential of the run that ended last; held here alone. */
  readonly last: { token?: Secret }
}

/**
 * Makes one run and records everything that is observed of it. Ends what a run leaves that did not end by itself.
 * @throws the signal's reason when the check is interrupted.
 */
export async function observeRun(setup: CheckSetup, request: RunRequest, mark: string): Promise<Run> {
  const { subject, decoys, secrets, table, prompting } = setup
  const { title, context, limitMs, purpose = 'observed', proxy } = request
  const isTold = subject.client.context === 'told'
  const mayPrompt = isTold && isPromptAllowed(helperContexts.find((known) => known === context) ?? 'unknown')
  const env = createRunEnvironment(setup, request, mark)
  const files = request.stdin === 'terminal' ? nameTerminalFiles(setup.directory, mark) : undefined
  const calledBefore = (await decoys.readCalls()).length
  const connectedBefore = proxy?.connections() ?? 0
  const startedAt = performance.now()
  const end = prompting.start(mayPrompt)
  const { launched, watched } = await launchWatched(setup, request, env, files)
  if (launched.ended.how === 'timeout' || launched.ended.how === 'flooded') await endMarkedProcesses(table, mark)
  const marks = end() ? [mark] : [mark, unmarked]
  subject.signal.throwIfAborted()
  const { stdout, stderr } = files ? await readTerminalFiles(files) : launched
  const endedAt = subject.now()
  const { facts, output } = parseRunOutput(stdout, env, endedAt, subject.client.format)
  if (output) {
    secrets.add(output)
    setup.last.token = new Secret(output.token)
  }
  return {
    title,
    purpose,
    context,
    mayPrompt,
    isNetworkIntact: proxy === undefined,
    ended: launched.ended,
    limitMs,
    durationMs: Math.round(performance.now() - startedAt),
    endedAt,
    output: facts,
    stderr: secrets.mask(stderr),
    exposures: findExposures(secrets, stderr, watched),
    browsers: findBrowsers((await decoys.readCalls()).slice(calledBefore), marks),
    nesting: watched.nesting,
    proxyConnections: (proxy?.connections() ?? 0) - connectedBefore,
    remotes: watched.remotes,
    terminal: files ? secrets.mask(readTerminal(launched.stdout)) : '',
  }
}

function createRunEnvironment({ subject, decoys }: CheckSetup, request: RunRequest, mark: string): Environment {
  const { context: asked, proxy, stdin } = request
  const context = subject.client.context === 'told' ? asked : undefined
  const known = helperContexts.find((value) => value === context)
  return {
    ...decoys.applyTo({ ...subject.env, ...request.env }),
    ...proxy?.env,
    [vendor.manualRunVariable]: undefined,
    [vendor.contextVariable]: context,
    ...(known && toContextVariables(known)),
    ...createClientVariables(subject.client),
    ...(stdin === 'terminal' && { SHELL: '/bin/sh' }),
    [markVariable]: mark,
  }
}

/** Starts the helper as a client does, and watches it and its children while they run. */
async function launchWatched(
  { subject, table, last }: CheckSetup,
  { args = subject.args, stdin, limitMs, proxy, operation = 'get', server = subject.server }: RunRequest,
  env: Environment,
  files: TerminalOutput | undefined,
): Promise<{ launched: Launched; watched: WatchResult }> {
  const endless = new AbortController()
  const { client, command } = subject
  const refused = operation === 'erase' ? last.token?.reveal() : undefined
  const text = renderRequest(client.request, { operation, server, refused })
  const call = { command, args, ...(text !== undefined && { operation }) }
  const resolved = resolveClientLaunch(client, call, subject.platform)
  if ('problem' in resolved) throw new Error(resolved.problem) // the rule command-line reports this, and no run is made then
  let watch: ReturnType<typeof startWatch> | undefined
  const options: LaunchOptions = {
    ...(text !== undefined && { stdin: { text } }),
    ...(stdin === 'silent' && { stdin }),
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
  const launched = await launch(wrapCommand(resolved.command, stdin, files, subject.platform), env, limitMs, options)
  const unwatched = { args: [], env: [], nesting: 0, remotes: [] }
  return { launched, watched: (await watch?.stop()) ?? unwatched }
}

function wrapCommand(
  command: LaunchCommand,
  stdin: RunRequest['stdin'],
  files: TerminalOutput | undefined,
  platform: NodeJS.Platform,
): LaunchCommand {
  if (files) return wrapInTerminal(command, files, platform)
  if (stdin !== 'closed') return command
  return { file: '/bin/sh', args: ['-c', 'exec "$0" "$@" <&-', command.file, ...command.args] }
}

function findExposures(secrets: SecretSearch, stderr: string, watched: WatchResult): Exposure[] {
  const texts = { stderr, arguments: watched.args.join('\n'), environment: watched.env.join('\n') } as const
  return (['stderr', 'arguments', 'environment'] as const).flatMap((where) => {
    const what = secrets.find(texts[where], 'own')
    return what === undefined ? [] : [{ what, where }]
  })
}

/** The mark of a call by a program that had removed it from its environment. Of runs at once, it is an interactive one's. */
const unmarked = ''

function findBrowsers(calls: readonly BrowserCall[], marks: readonly string[]): string[] {
  return calls.filter((call) => marks.includes(call.mark)).map(({ name }) => name)
}
