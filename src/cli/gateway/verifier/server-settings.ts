import type { Host } from '../../../runtime/host.ts'
import type { Secret } from '../../../runtime/secret.ts'
import { readSecretFile } from '../../../sources/oauth/exchange/settings.ts'
import type { ServerSettings } from '../../../verify/server/start-verifier-server.ts'
import type { ListenerTls } from '../../../verify/server/tls-listener.ts'
import type { VerifierFlags } from './flags.ts'
import { readListenerSettings, toListenAddress } from './serve-until-signal.ts'

/** The secret that `/introspect` asks for. @throws {HelperError} for a file that cannot be used. */
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

/** The settings of the server by its flags. @throws {HelperError} for a group or an address that cannot be used. */
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
    ...{ tokenHeaders, logAccepted: logAccepted === true, auditFailing },
    requestSource: {
      ...{ from: flags.requestFrom, modelHeader: flags.modelHeader, certificateHeader: flags.clientCertHeader },
    },
    ...(secret && { introspectionSecret: secret }),
  }
}
