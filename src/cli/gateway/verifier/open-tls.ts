import { HelperError } from '../../../runtime/failure.ts'
import type { Log, LogEntry } from '../../../verify/server/log.ts'
import { startFollowingTls, type TlsEvent, type TlsFiles } from '../../../verify/server/tls-files.ts'
import type { ListenerTls } from '../../../verify/server/tls-listener.ts'
import type { VerifierFlags } from './flags.ts'

/** Opens the files of TLS, and logs their changes. @throws {HelperError} `not-configured` for files that cannot be used. */
export async function openTls(
  files: TlsFiles,
  { clientName: clientNames = [] }: VerifierFlags,
  { now, log }: { readonly now: () => number; readonly log: Log },
): Promise<ListenerTls> {
  const observe = (event: TlsEvent) => log.tell(describeTlsEvent(files.cert, event))
  return { files: await startFollowingTls(files, { now, observe }), clientNames }
}

/** @throws {HelperError} `usage` for a certificate without its key, and what needs one. */
export function toTlsFiles({ tlsCert: cert, tlsKey: key, clientCa, clientName }: VerifierFlags): TlsFiles | undefined {
  if (cert !== undefined && key !== undefined && (clientCa !== undefined || !clientName))
    return { cert, key, ...(clientCa !== undefined && { clientCa }) }
  if (cert === undefined && key === undefined && clientCa === undefined && !clientName) return undefined
  const isPair = cert !== undefined && key !== undefined
  throw new HelperError(
    'usage',
    isPair ? '--client-name needs --client-ca' : '--tls-cert, --tls-key, --client-ca and --client-name go together',
    isPair ? 'name the authority of the gateways with --client-ca' : 'give both --tls-cert and --tls-key',
  )
}

/** An event of the files of TLS as a line of the log; pure. */
function describeTlsEvent(path: string, event: TlsEvent): LogEntry {
  const facts = { expires: new Date(event.expiresAt).toISOString() }
  switch (event.kind) {
    case 'loaded':
      return { level: 'info', event: 'tls', message: `the certificate in ${path} is in force`, facts }
    case 'replaced':
      return { level: 'info', event: 'tls', message: `the certificate in ${path} has changed and is in force`, facts }
    case 'recovered':
      return { level: 'info', event: 'tls', message: `the certificate in ${path} is in force again`, facts }
    case 'kept': {
      const { message, hint } = event.failure
      const kept = `${message}; the earlier certificate stays in force`
      return { level: 'error', event: 'tls-refused', message: kept, facts: { ...facts, hint } }
    }
  }
}
