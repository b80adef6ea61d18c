import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { contextEnvironment, helperContexts, mayPrompt } from '../../../contract/context.ts'
import type { Environment } from '../../../runtime/environment.ts'
import { vendor } from '../../../vendor.ts'
import { type Launched, type LaunchOptions, launch } from '../../launch/launch.ts'
import { type LaunchCommand, resolveLaunch } from '../../launch/launch-command.ts'
import { type BrowserCall, type DecoyBrowsers, markVariable } from './decoy-browsers.ts'
import { endMarked } from './end-marked.ts'
import type { ProcessTable } from './process-table.ts'
import { onTerminal, readTerminal, type TerminalOutput } from './pseudo-terminal.ts'
import { readOutput } from './read-output.ts'
import type { Exposure, Run } from './run.ts'
import type { RunRequest, Subject } from './run-request.ts'
import type { SecretSearch } from './secret-search.ts'
import { startWatch, type Watched } from './watch-run.ts'

/** What all runs of a check share. */
export interface CheckSetup {
  readonly subject: Subject
  readonly directory: string
  readonly secrets: SecretSearch
  readonly table: ProcessTable | undefined
  readonly decoys: DecoyBrowsers
}

/**
 * Makes one run and says all that was seen of it. Who is left of a run that did not end by itself is ended.
 * @throws the signal's reason when the check is interrupted.
 */
export async function makeRun(surroundings: CheckSetup, request: RunRequest, mark: string): Promise<Run> {
  const { subject, decoys, secrets, table } = surroundings
  const { title, context, limitMs, purpose = 'seen', proxy } = request
  const env = environmentOf(surroundings, request, mark)
  const files = request.stdin === 'terminal' ? terminalFiles(surroundings.directory, mark) : undefined
  const calledBefore = (await decoys.calls()).length
  const connectedBefore = proxy?.connections() ?? 0
  const startedAt = performance.now()
  const { launched, watched } = await launchWatched(surroundings, request, env, files)
  if (launched.ended.how === 'timeout' || launched.ended.how === 'flooded') await endMarked(table, mark)
  subject.signal.throwIfAborted()
  const { stdout, stderr } = files ? await readFiles(files) : launched
  const { facts, output } = readOutput(stdout, env)
  if (output) secrets.add(output)
  return {
    title,
    purpose,
    context,
    mayPrompt: mayPrompt(helperContexts.find((known) => known === context) ?? 'unknown'),
    isNetworkWell: proxy === undefined,
    ended: launched.ended,
    limitMs,
    durationMs: Math.round(performance.now() - startedAt),
    endedAt: subject.now(),
    output: facts,
    stderr: secrets.mask(stderr),
    exposures: findExposures(secrets, stderr, watched),
    browsers: namesOf((await decoys.calls()).slice(calledBefore), mark),
    nesting: watched.nesting,
    proxyConnections: (proxy?.connections() ?? 0) - connectedBefore,
    remotes: watched.remotes,
    terminal: files ? secrets.mask(readTerminal(launched.stdout)) : '',
  }
}

function environmentOf({ subject, decoys }: CheckSetup, request: RunRequest, mark: string): Environment {
  const { context, proxy, stdin } = request
  const known = helperContexts.find((value) => value === context)
  return {
    ...decoys.over({ ...subject.env, ...request.env }),
    ...proxy?.env,
    [vendor.manualRunVariable]: undefined,
    [vendor.contextVariable]: context,
    ...(known && contextEnvironment(known)),
    ...(stdin === 'terminal' && { SHELL: '/bin/sh' }),
    [markVariable]: mark,
  }
}

/** Starts the helper as a client does, and looks at it and its children while it works. */
async function launchWatched(
  { subject, table }: CheckSetup,
  { args = subject.args, stdin, limitMs, proxy }: RunRequest,
  env: Environment,
  files: TerminalOutput | undefined,
): Promise<{ launched: Launched; watched: Watched }> {
  const endless = new AbortController()
  const resolved = resolveLaunch({ command: subject.command, args }, subject.platform)
  if ('problem' in resolved) throw new Error(resolved.problem) // the first rule has said so, and nothing is run then
  let watch: ReturnType<typeof startWatch> | undefined
  const options: LaunchOptions = {
    ...(stdin === 'silent' && { stdin }),
    signal: AbortSignal.any([subject.signal, endless.signal]),
    onStart: (pid) => {
      const looksAt = proxy ? 'processes and connections' : 'processes'
      const watchedRun = {
        pid,
        command: subject.command,
        args,
        env,
        looksAt,
        onEndless: () => endless.abort(),
      } as const
      if (table) watch = startWatch(table, watchedRun)
    },
  }
  const launched = await launch(wrap(resolved.command, stdin, files, subject.platform), env, limitMs, options)
  const nothing = { args: [], env: [], nesting: 0, remotes: [] }
  return { launched, watched: (await watch?.stop()) ?? nothing }
}

function wrap(
  command: LaunchCommand,
  stdin: RunRequest['stdin'],
  files: TerminalOutput | undefined,
  platform: NodeJS.Platform,
): LaunchCommand {
  if (files) return onTerminal(command, files, platform)
  if (stdin !== 'closed') return command
  return { file: '/bin/sh', args: ['-c', 'exec "$0" "$@" <&-', command.file, ...command.args] }
}

function terminalFiles(directory: string, mark: string): TerminalOutput {
  const name = mark.replace(/[^0-9a-f]/g, '')
  return { stdout: join(directory, `${name}-stdout`), stderr: join(directory, `${name}-stderr`) }
}

async function readFiles({ stdout, stderr }: TerminalOutput): Promise<{ stdout: Uint8Array; stderr: string }> {
  await using file = await open(stdout, 'a+') // also there when nothing could be started
  return { stdout: await file.readFile(), stderr: await readFile(stderr, 'utf8').catch(() => '') }
}

function findExposures(secrets: SecretSearch, stderr: string, watched: Watched): Exposure[] {
  const places = { stderr, arguments: watched.args.join('\n'), environment: watched.env.join('\n') } as const
  return (['stderr', 'arguments', 'environment'] as const).flatMap((where) => {
    const what = secrets.find(places[where], 'words')
    return what === undefined ? [] : [{ what, where }]
  })
}

function namesOf(calls: readonly BrowserCall[], mark: string): string[] {
  return calls.filter((call) => call.mark === mark || call.mark === '').map(({ name }) => name)
}
