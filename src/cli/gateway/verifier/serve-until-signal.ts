import { isLocalAddress, type ListenAddress, renderListenAddress } from '../../../verify/server/listen-address.ts'
import type { Log, LogEntry } from '../../../verify/server/log.ts'
import type { RunningVerifier } from '../../../verify/server/start-verifier-server.ts'
import { openNotifier } from '../../../verify/server/systemd.ts'
import type { Cli } from '../../cli.ts'
import { waitForSignal } from '../../terminal.ts'
import { observeManagedProcess } from './server-settings.ts'
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
 * Describes the start of a server with a policy, as the first entries of its log.
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
