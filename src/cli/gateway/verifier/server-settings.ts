import { readFile } from 'node:fs/promises'
import { HelperError } from '../../../runtime/failure.ts'
import { type Host, observeParentProcessId, observeProcessId } from '../../../runtime/host.ts'
import type { Environment } from '../../../runtime/run-process.ts'
import type { Secret } from '../../../runtime/secret.ts'
import { readSecretFile } from '../../../sources/oauth/exchange/exchange-settings.ts'
import type { GivenAddress, ListenAddress } from '../../../verify/server/listen-address.ts'
import { describeInForce, type Log, type LogEntry } from '../../../verify/server/log.ts'
import type { ListenerSettings } from '../../../verify/server/start-listeners.ts'
import type { ServerSettings } from '../../../verify/server/start-verifier-server.ts'
import { requirePassedSocket } from '../../../verify/server/systemd.ts'
import { startFollowingTls, type TlsEvent, type TlsFiles } from '../../../verify/server/tls-files.ts'
import type { ListenerTls } from '../../../verify/server/tls-listener.ts'
import { isOneOfSeveral } from './processes.ts'
import type { PolicyFlags, VerifierFlags } from './verifier-flags.ts'

/**
 * Reads the secret for `/introspect`.
 * @throws {HelperError} for a file that cannot be used.
 */
export async function readIntrospectionSecret(
  { introspectionSecretFile: file }: VerifierFlags,
  host: Host,
): Promise<Secret | undefined> {
  if (file === undefined) return undefined
  return readSecretFile(file, '--introspection-secret-file', host, 'introspection')
}

/**
 * Reads the settings of the server from its flags.
 * @throws {HelperError} for a group or an address that cannot be used.
 */
export async function readServerSettings(
  flags: VerifierFlags,
  host: Host,
  { tls, secret }: { readonly tls: ListenerTls | undefined; readonly secret: Secret | undefined },
): Promise<ServerSettings> {
  const { tokenHeader: tokenHeaders, logAccepted, auditFailing } = flags
  return {
    ...(await readListenerSettings(flags, host.env)),
    ...(tls && { tls }),
    ...(flags.grpcListen && { grpcListen: requireListenAddress(flags.grpcListen, '--grpc-listen', host.env) }),
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
 * Reads the settings of both listeners from their flags.
 * @throws {HelperError} `usage` for a group that this machine does not have, `not-configured` for a socket that systemd did not pass.
 */
export async function readListenerSettings(
  flags: Omit<PolicyFlags, 'policy'>,
  env: Environment,
): Promise<ListenerSettings> {
  const { listen, adminListen, socketMode, socketGroup: group, drainSec } = flags
  const socketGroup = group === undefined ? undefined : await readGroupId(group)
  return {
    listen: requireListenAddress(listen, '--listen', env),
    socketMode,
    socketGroup,
    drainSec,
    ...(adminListen && { adminListen: requireListenAddress(adminListen, '--admin-listen', env) }),
  }
}

/**
 * Gives the address, or the socket from systemd for it.
 * @throws as {@link requirePassedSocket}
 */
function requireListenAddress(address: GivenAddress, option: string, env: Environment): ListenAddress {
  return requirePassedSocket(address, option, observeManagedProcess(env))
}

/** Observes the process that systemd manages: the first one, if this is one of several. */
export function observeManagedProcess(env: Environment) {
  return { env, processId: isOneOfSeveral() ? observeParentProcessId() : observeProcessId() }
}

const groupFile = '/etc/group'

/** Reads the number of a group by its name, or parses a number. @throws as {@link parseGroupId} */
async function readGroupId(group: string): Promise<number> {
  const text = await readFile(groupFile, 'utf8').catch(() => '') // without the file, only numbers are accepted
  return parseGroupId(text, group)
}

/**
 * Parses the number of a group in the text of `/etc/group`; a given number need not be listed.
 * @throws {HelperError} `usage` for an unknown name.
 */
function parseGroupId(text: string, group: string): number {
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
  if (cert !== undefined && key !== undefined && (clientCa !== undefined || !clientName)) return { cert, key, clientCa }
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
