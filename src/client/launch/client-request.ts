import type { HelperClient, RequestForm } from '../../contract/client.ts'
import { execCredentialVersion } from '../../contract/formats/exec-credential.ts'
import { quoteForShell } from '../../runtime/text/quote.ts'
import { type Launch, planLaunch, relativePath } from './launch-command.ts'

/** Renders the text that a client writes to the stdin of a helper; `undefined` if it writes nothing. */
export function renderRequest(form: RequestForm, request: ClientRequest): string | undefined {
  return renderers[form](request)
}

/** The request of a client. */
interface ClientRequest {
  /** `get` asks for a credential; other operations only tell the helper something. */
  readonly operation: string
  /** The full URL of the server that gets the credential. */
  readonly server: string
  /** The refused token, with `erase`. */
  readonly refused?: string | undefined
}

const renderers: Readonly<Record<RequestForm, (request: ClientRequest) => string | undefined>> = {
  none: () => undefined,
  bazel: ({ server }) => JSON.stringify({ uri: server }),
  git: ({ server, refused }) => {
    const { protocol, host } = new URL(server)
    const secret = refused === undefined ? '' : `password=${refused}\n`
    return `protocol=${protocol.slice(0, -1)}\nhost=${host}\n${secret}`
  },
}

/** Creates the variables that a client adds to its own environment. */
export function createClientVariables({ variables }: HelperClient): Record<string, string> {
  return Object.fromEntries(variables.map((name) => [name, valuesByVariable[name] ?? '']))
}

const valuesByVariable: Readonly<Record<string, string>> = {
  KUBERNETES_EXEC_INFO: JSON.stringify({
    apiVersion: execCredentialVersion,
    kind: 'ExecCredential',
    spec: { interactive: false },
  }),
}

/** The command that a client starts: the path and the arguments of its configuration, and the argument of its protocol. */
interface ClientCall {
  readonly command: string
  readonly args: readonly string[]
  /** The operation, such as `get`; absent if the client's protocol has none. */
  readonly operation?: string | undefined
}

/**
 * How a client starts a helper: directly, or by a line that a shell reads; pure. On Windows, every client starts it as
 * the desktop client does.
 */
export function planClientLaunch(client: HelperClient, call: ClientCall, platform: NodeJS.Platform): Launch {
  const { command, args, operation } = call
  if (client.format === 'json') return planLaunch({ command, args }, platform)
  if (client.start === 'path' && args.length > 0)
    return { problem: `${client.title} passes no arguments of a helper, only those of its protocol` }
  const words = operation === undefined ? args : [...args, operation]
  if (platform === 'win32') return planLaunch({ command, args: words }, platform)
  if (!command.startsWith('/')) return { problem: relativePath }
  if (client.start !== 'shell-line') return { command: { file: command, args: words } }
  return { command: { file: '/bin/sh', args: ['-c', quoteForShell([command, ...words])] } }
}
