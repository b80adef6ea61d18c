import { readFile } from 'node:fs/promises'
import { HelperError } from '../../../runtime/failure.ts'
import { observeParentProcessId, observeProcessId } from '../../../runtime/host.ts'
import type { Environment } from '../../../runtime/run-process.ts'
import {
  type GivenAddress,
  isLocalAddress,
  type ListenAddress,
  renderListenAddress,
} from '../../../verify/server/listen-address.ts'
import type { Log, LogEntry } from '../../../verify/server/log.ts'
import type { ListenerSettings } from '../../../verify/server/start-listeners.ts'
import type { RunningVerifier } from '../../../verify/server/start-verifier-server.ts'
import { openNotifier, requirePassedSocket } from '../../../verify/server/systemd.ts'
import type { Cli } from '../../cli.ts'
import { waitForSignal } from '../../terminal.ts'
import { isOneOfSeveral } from './processes.ts'
import type { PolicyFlags } from './verifier-flags.ts'

/** Prints the addresses of the server, and ends it gracefully after the first signal. */
export async function serveUntilSignal(
  { host, terminal }: Cli,
  { listen, adminListen, grpcListen, scheme, drain }: RunningVerifier,
  { log, look, start }: ServedParts,
): Promise<void> {
  const signal = waitForSignal()
  const notifier = await openNotifier(observeManagedProcess(host.env), log)
  const render = (address: ListenAddress) => renderListenAddress(address, scheme)
  const tellReady = () => notifier.ready(`answers at ${render(listen)}`)
  const reload = async () => {
    notifier.reloading()
    await look()
    tellReady()
  }
  process.on('SIGHUP', reload)
  const grpc = grpcListen && { grpc: render(grpcListen) }
  const admin = adminListen && { admin: renderListenAddress(adminListen) }
  terminal.print(`${JSON.stringify({ listen: render(listen), ...grpc, ...admin })}\n`)
  for (const entry of start) log.tell(entry)
  tellReady()
  log.tell({ level: 'info', event: 'ending', message: `${await signal}: requests in flight are answered` })
  notifier.stopping()
  await drain()
  notifier.close()
  process.off('SIGHUP', reload)
  log.tell({ level: 'info', event: 'ended', message: 'every connection is closed' })
}

/** The log entry with which `--check` ends. */
export const checkedEntry: LogEntry = {
  level: 'info',
  event: 'checked',
  message: 'all that the server reads at its start can be used; its addresses were not tried',
}

interface ServedParts {
  readonly log: Log
  /** Runs on SIGHUP, and resolves when everything has been read again. */
  readonly look: () => Promise<unknown>
  /** The first entries of the server's log. */
  readonly start: readonly LogEntry[]
}

/**
 * The settings of both listeners.
 * @throws {HelperError} `usage` for a group that this machine does not have, `not-configured` for a socket that systemd did not pass.
 */
export async function readListenerSettings(
  flags: Omit<PolicyFlags, 'policy'>,
  env: Environment,
): Promise<ListenerSettings> {
  const { listen, adminListen, socketMode, socketGroup: group, drainSec } = flags
  const socketGroup = group === undefined ? undefined : await readGroupId(group)
  return {
    listen: toListenAddress(listen, '--listen', env),
    socketMode,
    socketGroup,
    drainSec,
    ...(adminListen && { adminListen: toListenAddress(adminListen, '--admin-listen', env) }),
  }
}

/**
 * The given address, or the socket from systemd for it.
 * @throws as {@link requirePassedSocket}
 */
export function toListenAddress(address: GivenAddress, option: string, env: Environment): ListenAddress {
  return requirePassedSocket(address, option, observeManagedProcess(env))
}

function observeManagedProcess(env: Environment) {
  return { env, processId: isOneOfSeveral() ? observeParentProcessId() : observeProcessId() }
}

const groupFile = '/etc/group'

/**
 * Reads the number of a group by its name, or parses a number.
 * @throws as {@link parseGroupId}
 */
async function readGroupId(group: string): Promise<number> {
  const text = await readFile(groupFile, 'utf8').catch(() => '') // without the file, only numbers are accepted
  return parseGroupId(text, group)
}

/**
 * Parses the number of a group in the text of `/etc/group`; a given number need not be listed.
 * @throws {HelperError} `usage` for an unknown name.
 */
export function parseGroupId(text: string, group: string): number {
  if (/^\d{1,9}$/.test(group)) return Number(group)
  const row = text.split('\n').find((line) => line.startsWith(`${group}:`))
  const id = row?.split(':')[2]
  if (group !== '' && id !== undefined && /^\d+$/.test(id)) return Number(id)
  throw new HelperError(
    'usage',
    `${groupFile} has no group "${group}"`,
    'correct --socket-group, or give the number of the group, such as from: getent group',
  )
}

/**
 * The first log entries of a server with a policy; pure.
 * @param who The clients, such as `gateways`.
 */
export function describeStart(
  { listen, adminListen, grpcListen, scheme }: Omit<RunningVerifier, 'drain'>,
  { policy, stsStandIn }: Pick<PolicyFlags, 'policy' | 'stsStandIn'>,
  who = 'gateways',
): LogEntry[] {
  const facts = {
    policy,
    grpc: grpcListen && renderListenAddress(grpcListen, scheme),
    admin: adminListen && renderListenAddress(adminListen),
  }
  const where = renderListenAddress(listen, scheme)
  const plain = scheme === 'https' ? [adminListen] : [listen, grpcListen, adminListen]
  const open = plain.filter((address) => address !== undefined && !isLocalAddress(address))
  return [
    { level: 'info', event: 'listening', message: `${who} ask at ${where}`, facts },
    ...open.map(
      (address): LogEntry => ({
        level: 'warning',
        event: 'open',
        message: `${renderListenAddress(address!)} can be reached by other machines, and nothing encrypts what they send`,
      }),
    ),
    ...(stsStandIn ? [describeStandIn(stsStandIn)] : []),
  ]
}

function describeStandIn({ origin }: URL): LogEntry {
  const message = `${origin} is asked instead of AWS STS: it is a stand-in for trials, and does not prove who its callers are`
  return { level: 'warning', event: 'sts-stand-in', message }
}
