import { open, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeLastFailure } from '../../outcomes/last-failure.ts'
import { orderVariable, renderOrder, type SenderOrder, senderCommand } from '../../outcomes/sender-order.ts'
import { findOwnProgram, type Host } from '../../runtime/host.ts'
import { startDetachedProcess } from '../../runtime/program/start-detached-process.ts'
import type { Environment } from '../../runtime/run-process.ts'
import { version } from '../../version.ts'
import type { ResolvedOptions } from '../options/resolve-options.ts'
import type { OutcomeSettings } from './outcome-settings.ts'

/** Starts this program once more, to send the spool, unless another call has done so in these seconds. */
export async function startSender(start: SenderStart): Promise<void> {
  const { host, directory } = start
  if (!(await attemptTurn(directory, host.clock.now()))) return
  const command = host.ownCommand
    ? { ...host.ownCommand, args: [...host.ownCommand.args, senderCommand] }
    : findOwnProgram([senderCommand])
  const env = toSenderEnvironment(start)
  if (Buffer.byteLength(env[orderVariable]!) > longestOrder) return recordLongOrder(start)
  // A directory that the client works in could not be unmounted, or removed on Windows, while the sender is in it.
  const child = startDetachedProcess(command, {
    env,
    platform: host.platform,
    directory: dirname(command.program),
  })
  // If it could not be started, the next mint starts one.
  child.on('error', () => undefined)
}

/** The call that starts a sender, and what it orders. */
interface SenderStart {
  readonly host: Host
  readonly resolved: ResolvedOptions
  readonly settings: OutcomeSettings
  readonly directory: string
  readonly seconds: number
}

/** In bytes. No process can be given a longer variable on Windows, where 32,767 characters are the most. */
const longestOrder = 30_000

/** Leaves a note for a person who asks why nothing arrives. */
async function recordLongOrder({ host, settings, directory }: SenderStart): Promise<void> {
  const failure = {
    time: host.clock.now(),
    message: `what the sending process has to know is longer than ${longestOrder} bytes`,
    hint: 'shorten otlp-endpoint, otlp-headers-file, proxy, no-proxy or ca',
  }
  const destinations = [...(settings.endpoint === undefined ? [] : ['otlp']), ...(settings.systemLog ? ['log'] : [])]
  for (const destination of destinations) await writeLastFailure(directory, destination, failure)
}

/** In milliseconds: of fifty calls that mint at once, one starts a sender, or two where such a time ends between them. */
const turnMs = 10_000

/** @returns whether no other process has had this turn: only one creates its file. Files of earlier turns are removed. */
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

/** Keeps only the part of the call's environment that the network and the system need: no token, no key, no option. */
function toSenderEnvironment({ host: { env }, resolved, settings, directory, seconds }: SenderStart): Environment {
  const find = (name: string) => resolved.get(name)?.value as string | undefined // the kinds of these options
  const order: SenderOrder = {
    directory,
    version,
    ...settings,
    // Its own clock begins with its process.
    seconds,
    proxy: find('proxy'),
    noProxy: find('no-proxy'),
    ca: find('ca'),
  }
  const kept = Object.entries(env).filter(([name]) => needed.has(name.toUpperCase()))
  return { ...Object.fromEntries(kept), [orderVariable]: renderOrder(order) }
}

const needed: ReadonlySet<string> = new Set([
  ...['HOME', 'USERPROFILE', 'SYSTEMROOT', 'TMPDIR', 'TEMP', 'TMP'],
  ...['NODE_EXTRA_CA_CERTS', 'AWS_CA_BUNDLE', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_TLS_REJECT_UNAUTHORIZED'],
])
