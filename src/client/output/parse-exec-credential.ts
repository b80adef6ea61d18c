import { type ClientOutput, refuseOutput } from './client-output.ts'
import { isText, parseJsonOutput, parseMoment } from './parse-json-output.ts'

/** The version that the configuration asks for, and that has to come back. */
export const execCredentialVersion = 'client.authentication.k8s.io/v1'

/** An `ExecCredential` of Kubernetes with a token; certificates are not what our helpers are for. */
export function parseExecCredential(text: string): ClientOutput {
  const value = parseJsonOutput(text)
  if (typeof value === 'string') return refuseOutput(value)
  const { kind, apiVersion, status } = value
  if (kind !== 'ExecCredential') return refuseOutput('"kind" is not "ExecCredential"')
  if (apiVersion !== execCredentialVersion) return refuseOutput(`"apiVersion" is not "${execCredentialVersion}"`)
  if (typeof status !== 'object' || status === null) return refuseOutput('there is no "status"')
  const { token, expirationTimestamp } = status as { readonly token?: unknown; readonly expirationTimestamp?: unknown }
  if (!isText(token)) return refuseOutput('"status.token" is not text')
  if (expirationTimestamp === undefined || expirationTimestamp === null) return { ok: true, token, headers: {} }
  const at = parseMoment(expirationTimestamp)
  if (at === undefined) return refuseOutput('"status.expirationTimestamp" is no date as RFC 3339 has it')
  return { ok: true, token, headers: {}, end: { source: 'status.expirationTimestamp', at } }
}
