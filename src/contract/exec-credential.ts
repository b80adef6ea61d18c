import { type OutputWriter, renderInstant } from './output-format.ts'

/** The variable with kubectl's JSON for a helper (Kubernetes documentation, "client-go credential plugins"). */
export const execInfoVariable = 'KUBERNETES_EXEC_INFO'

const group = 'client.authentication.k8s.io'

/** The version in configurations, which the answer must repeat. */
export const execCredentialVersion = `${group}/v1`

/** The value of {@link execInfoVariable} from a client that has nobody to ask. */
export const silentExecInfo = JSON.stringify({
  apiVersion: execCredentialVersion,
  kind: 'ExecCredential',
  spec: { interactive: false },
})

/** The versions with `status.token` and no other required member. The answer must repeat the version that the client names. */
const versions = [execCredentialVersion, `${group}/v1beta1`]

/** Parses the version that the client names; the newest without one, for example if a person runs the helper. */
export function parseExecInfo(
  text: string | undefined,
): { readonly apiVersion: string } | { readonly problem: string; readonly hint: string } {
  if (!text) return { apiVersion: versions[0]! }
  const wanted = findVersion(text)
  if (wanted === undefined)
    return {
      problem: `${execInfoVariable} is not an ExecCredential in JSON with an apiVersion`,
      hint: `let kubectl set it, or unset ${execInfoVariable}`,
    }
  if (versions.includes(wanted)) return { apiVersion: wanted }
  return {
    problem: `${execInfoVariable} asks for a version other than ${versions.join(' and ')}`,
    hint: `write apiVersion: ${versions[0]} into the exec section of the kubeconfig; kubectl before 1.22 takes ${versions[1]}`,
  }
}

function findVersion(text: string): string | undefined {
  try {
    const { apiVersion } = JSON.parse(text) ?? {}
    return typeof apiVersion === 'string' ? apiVersion : undefined
  } catch {
    return undefined // not JSON; the caller says so
  }
}

/**
 * Creates the writer of Kubernetes' document. Without an expiry a client keeps the token until its process ends, or the server answers 401.
 */
export function createExecCredentialWriter(apiVersion: string): OutputWriter {
  return {
    render: ({ token, expiresAt }) => {
      const end = expiresAt && { expirationTimestamp: renderInstant(expiresAt) }
      return `${JSON.stringify({ apiVersion, kind: 'ExecCredential', status: { token, ...end } })}\n`
    },
  }
}
