import type { HelperClient, RequestForm } from '../../contract/clients/client.ts'
import { execCredentialVersion } from '../output/parse-exec-credential.ts'

/** What a client asks for. */
export interface ClientRequest {
  /** `get` asks for a credential; the others only tell the helper something. */
  readonly operation: string
  /** The full URL of the server that gets the credential. */
  readonly server: string
  /** With `erase`: what was refused. */
  readonly refused?: string | undefined
}

/** What a client writes to the stdin of a helper; `undefined` where it writes nothing. */
export function renderRequest(form: RequestForm, request: ClientRequest): string | undefined {
  return renderers[form](request)
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

/** The variables that a client adds to its own environment, with what they hold. */
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
