import { listSentHeaders, type OutputWriter, renderInstant } from '../../contract/output-format.ts'
import { HelperError } from '../../runtime/failure.ts'
import { parseObject } from '../../runtime/values/json-value.ts'
import { describePlainServer, isNamed, parseServer, refuseNoHosts } from './named-hosts.ts'
import { type AskedCall, type PreparedFormat, readRequest } from './read-request.ts'

/**
 * Prepares the answer to a request from Bazel. Its credential helper specification makes a server that is not ours an error, and so any
 * action but `get`.
 */
export async function prepareBazel(asked: AskedCall): Promise<PreparedFormat> {
  const { action, helper, options } = asked
  if (action !== 'get')
    throw new HelperError('usage', '--format bazel supports only the action get', 'remove the other action')
  const uri = parseBazelRequest(await readRequest(asked, isWholeRequest))
  if (uri === undefined)
    throw new HelperError(
      'usage',
      'the request on stdin is not one JSON object with a "uri"',
      'have the client write one, such as {"uri": "https://example.com"}',
    )
  refuseOtherServer(uri, options['for-host'])
  return { work: 'credential', helper, writer: bazelWriter }
}

function isWholeRequest(text: string): boolean {
  return text.trimEnd().endsWith('}') && parseBazelRequest(text) !== undefined
}

function refuseOtherServer(uri: string, names: readonly string[]): void {
  const server = parseServer(uri)
  if (!server)
    throw new HelperError(
      'refused',
      'the "uri" on stdin is not an https or grpcs address',
      'let Bazel ask this helper only about https and grpcs addresses',
    )
  refuseNoHosts(names, 'bazel')
  if (!isNamed(names, server))
    throw new HelperError(
      'refused',
      `${server.host}:${server.port} is not among the servers that for-host names`,
      'add it with --for-host, or give Bazel another helper for that host: --credential_helper=HOST=PROGRAM',
    )
  if (server.isPlain) throw new HelperError('refused', describePlainServer(server.host), 'use https or grpcs')
}

/** Parses the address in a request (`GetCredentialsRequest` of the credential helper specification); `undefined` for any other text. */
function parseBazelRequest(text: string): string | undefined {
  const uri = parseObject(text)?.uri
  return typeof uri === 'string' ? uri : undefined
}

/** Renders `GetCredentialsResponse` of that specification: each header as a list of values, and the expiry in the format of RFC 3339. */
const bazelWriter: OutputWriter = {
  render: (output) => {
    const headers = Object.fromEntries(listSentHeaders(output).map(([name, value]) => [name, [value]]))
    const { expiresAt } = output
    return `${JSON.stringify({ headers, ...(expiresAt && { expires: renderInstant(expiresAt) }) })}\n`
  },
}
