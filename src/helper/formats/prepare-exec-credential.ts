import { createExecCredentialWriter, execInfoVariable, parseExecInfo } from '../../contract/exec-credential.ts'
import { askedAgain } from '../../contract/refresh.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { AskedCall, PreparedFormat } from './read-request.ts'

/**
 * Prepares the answer to kubectl, which passes the wanted version in a variable. kubectl does not say that the server has refused a token,
 * but it runs a helper again only after a refusal or after the expiry (client-go, `exec.go`).
 * @throws {HelperError} `usage` for another version.
 */
export async function prepareExecCredential({ helper, host }: AskedCall): Promise<PreparedFormat> {
  const wanted = parseExecInfo(host.env[execInfoVariable])
  if ('problem' in wanted) throw new HelperError('usage', wanted.problem, wanted.hint)
  return { work: 'credential', helper, writer: createExecCredentialWriter(wanted.apiVersion), suspicion: askedAgain }
}
