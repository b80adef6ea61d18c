import { isLocalAddress, renderListenAddress } from '../../../verify/server/listening/listen-address.ts'
import type { LogEntry } from '../../../verify/server/log.ts'
import type { VerifierServer } from '../../../verify/server/start-verifier-server.ts'
import type { VerifierFlags } from './flags.ts'

/** The lines of the log with which a verifier begins; pure. */
export function describeStart(
  { listen, adminListen }: Pick<VerifierServer, 'listen' | 'adminListen'>,
  { policy }: Pick<VerifierFlags, 'policy'>,
): LogEntry[] {
  const facts = { policy, admin: adminListen && renderListenAddress(adminListen) }
  const where = renderListenAddress(listen)
  const open = [listen, adminListen].filter((address) => address !== undefined && !isLocalAddress(address))
  return [
    { level: 'info', event: 'listening', message: `gateways ask at ${where}`, facts },
    ...open.map(
      (address): LogEntry => ({
        level: 'warning',
        event: 'open',
        message: `${renderListenAddress(address!)} can be reached by other machines, and nothing encrypts what they send`,
      }),
    ),
  ]
}
