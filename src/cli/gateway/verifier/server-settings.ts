import { HelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import type { Secret } from '../../../runtime/secret.ts'
import { readSecretFile } from '../../../sources/oauth/exchange/exchange-settings.ts'
import { describeInForce, type Log, type LogEntry } from '../../../verify/server/log.ts'
import type { ServerSettings } from '../../../verify/server/start-verifier-server.ts'
import { startFollowingTls, type TlsEvent, type TlsFiles } from '../../../verify/server/tls-files.ts'
import type { ListenerTls } from '../../../verify/server/tls-listener.ts'
import { readListenerSettings, toListenAddress } from './serve-until-signal.ts'
import type { VerifierFlags } from './verifier-flags.ts'

/**
 * The secret for `/introspect`.
 * @throws {HelperError} for a file that cannot be used.
 */
export async function readIntrospectionSecret(
  { introspectionSecretFile: file }: VerifierFlags,
  host: Host,
): Promise<Secret | undefined> {
  if (file === undefined) return undefined
  return readSecretFile(file, '--introspection-secret-file', host, 'introspection')
}

interface ReadParts {
  readonly tls: ListenerTls | undefined
  readonly secret: Secret | undefined
}

/**
 * The settings of the server from its flags.
 * @throws {HelperError} for a group or an address that cannot be used.
 */
export async function readServerSettings(
  flags: VerifierFlags,
  host: Host,
  { tls, secret }: ReadParts,
): Promise<ServerSettings> {
  const { tokenHeader: tokenHeaders, logAccepted, auditFailing } = flags
  return {
    ...(await readListenerSettings(flags, host.env)),
    ...(tls && { tls }),
    ...(flags.grpcListen && { grpcListen: toListenAddress(flags.grpcListen, '--grpc-listen', host.env) }),
    tokenHeaders,
    logAccepted: logAccepted === true,
    auditFailing,
    requestSource: {
      from: flags.requestFrom,
      modelHeader: flags.modelHeader,
      certificateHeader: flags.clientCertHeader,
    },
    ...(secret && { introspectionSecret: secret }),
  }
}

/**
 * Opens the TLS files, and logs their changes.
 * @throws {HelperError} `not-configured` for files that cannot be used.
 */
export async function openTls(
  files: TlsFiles,
  { clientName: clientNames = [] }: VerifierFlags,
  { now, log }: { readonly now: () => number; readonly log: Log },
): Promise<ListenerTls> {
  const observe = (event: TlsEvent) => log.tell(describeTlsEvent(files.cert, event))
  return { files: await startFollowingTls(files, { now, observe }), clientNames }
}

/** @throws {HelperError} `usage` for a certificate without its key, and for flags that need a certificate. */
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

/** Describes an event of the TLS files for the log; pure. */
function describeTlsEvent(path: string, event: TlsEvent): LogEntry {
  const facts = { expires: new Date(event.expiresAt).toISOString() }
  switch (event.kind) {
    case 'loaded':
    case 'replaced':
    case 'recovered':
      return { level: 'info', event: 'tls', message: describeInForce(`the certificate in ${path}`, event.kind), facts }
    case 'kept': {
      const { message, hint } = event.failure
      const kept = `${message}; the earlier certificate stays in force`
      return { level: 'error', event: 'tls-refused', message: kept, facts: { ...facts, hint } }
    }
  }
}
