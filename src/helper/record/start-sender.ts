import { open, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeLastFailure } from '../../outcomes/last-failure.ts'
import {
  renderSenderSettings,
  type SenderSettings,
  senderCommand,
  settingsVariable,
} from '../../outcomes/sender-settings.ts'
import { type Host, prepareOwnProgram } from '../../runtime/host.ts'
import { trustVariables } from '../../runtime/network/settings.ts'
import { startDetachedProcess } from '../../runtime/program/start-detached-process.ts'
import type { Environment } from '../../runtime/run-process.ts'
import { version } from '../../version.ts'
import type { ResolvedOptions } from '../options/resolve-options.ts'
import type { OutcomeSettings } from './outcome-settings.ts'

/** Starts another process of this program that sends the spool, unless another call has started one within {@link turnMs}. */
export async function startSender(start: SenderStart): Promise<void> {
  const { host, directory } = start
  if (!(await attemptTurn(directory, host.clock.now()))) return
  const command = host.ownCommand
    ? { ...host.ownCommand, args: [...host.ownCommand.args, senderCommand] }
    : prepareOwnProgram([senderCommand])
  const env = toSenderEnvironment(start)
  if (Buffer.byteLength(env[settingsVariable]!) > longestSettings) return recordLongSettings(start)
  // Not the client's working directory, which could not be unmounted, or removed on Windows, while the process runs there.
  const child = startDetachedProcess(command, {
    env,
    platform: host.platform,
    directory: dirname(command.program),
  })
  // If the process cannot be started, the next mint starts another.
  child.on('error', () => undefined)
}

/** The call that starts the sending process, and the settings for it. */
interface SenderStart {
  readonly host: Host
  readonly resolved: ResolvedOptions
  readonly settings: OutcomeSettings
  readonly directory: string
  readonly seconds: number
}

/** In bytes. Windows limits a variable to 32,767 characters (Microsoft, `SetEnvironmentVariable`). */
const longestSettings = 30_000

/**
 * Claims the present turn by creating its file, and removes the files of earlier turns. @returns whether no other process has claimed it.
 */
async function attemptTurn(directory: string, now: number): Promise<boolean> {
  const name = `outcomes.turn-${Math.floor(now / turnMs)}`
  try {
    await (await open(join(directory, name), 'wx', 0o600)).close()
  } catch {
    return false
  }
  const earlier = (await readdir(directory)).filter((other) => /^outcomes\.turn-\d+$/.test(other) && other !== name)
  await Promise.all(earlier.map((other) => rm(join(directory, other), { force: true })))
  return true
}

/** Selects the variables that the network and the system need. Tokens, keys and options are not passed on. */
function toSenderEnvironment({ host: { env }, resolved, settings, directory, seconds }: SenderStart): Environment {
  const find = (name: string) => resolved.get(name)?.value as string | undefined // the kinds of these options
  const passed: SenderSettings = {
    directory,
    version,
    ...settings,
    // Its clock starts with its process.
    seconds,
    proxy: find('proxy'),
    noProxy: find('no-proxy'),
    ca: find('ca'),
  }
  const kept = Object.entries(env).filter(([name]) => needed.has(name.toUpperCase()))
  return { ...Object.fromEntries(kept), [settingsVariable]: renderSenderSettings(passed) }
}

const needed: ReadonlySet<string> = new Set([
  ...['HOME', 'USERPROFILE', 'SYSTEMROOT', 'TMPDIR', 'TEMP', 'TMP'],
  ...trustVariables,
])

/** Records that the settings are too long for a variable, for a person who looks for the reason why no outcomes arrive. */
async function recordLongSettings({ host, settings, directory }: SenderStart): Promise<void> {
  const failure = {
    time: host.clock.now(),
    message: `what the sending process has to know is longer than ${longestSettings} bytes`,
    hint: 'shorten otlp-endpoint, otlp-headers-file, proxy, no-proxy or ca',
  }
  const destinations = [...(settings.endpoint === undefined ? [] : ['otlp']), ...(settings.systemLog ? ['log'] : [])]
  for (const destination of destinations) await writeLastFailure(directory, destination, failure)
}

/** In milliseconds. If fifty calls mint at the same time, one starts the process, or two if a turn ends between them. Our decision. */
const turnMs = 10_000
