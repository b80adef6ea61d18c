import { sha256 } from '../../runtime/digest.ts'
import type { Environment } from '../../runtime/environment.ts'
import { HelperError } from '../../runtime/failure.ts'
import { Secret } from '../../runtime/secret.ts'
import { parseAddress } from './address.ts'
import { readSource } from './find-file.ts'
import type { FindIdentity, IdentitySource } from './identity-source.ts'
import type { SecretHeader } from './parse-header-lines.ts'
import { demandOption } from './required.ts'

const fileVariable = 'AZURE_FEDERATED_TOKEN_FILE'

/**
 * The token of a workload on Azure: the file of a pod with workload identity, else the endpoint that App Service and
 * its kin name, else the metadata service of the machine. The first two say by variables that they are there.
 */
export const findAzure: FindIdentity = (host, options) => {
  const path = host.env[fileVariable]
  if (path)
    return readSource(host, options, {
      path,
      renewal: `check that workload identity is on for this pod and its service account; ${fileVariable} names the file`,
      audienceWay: `correct audience: the cluster chooses that of the file in ${fileVariable}`,
    })
  const resource = demandOption(options, 'audience', 'name the resource that the identity token shall be for')
  return askSource(findEndpoint(host.env), { resource, client: options['azure-client'] })
}

interface Endpoint {
  readonly who: string
  readonly url: URL
  readonly header: SecretHeader
  /** What tells one site on this machine from another; a digest, for it is a secret. */
  readonly asker?: string
}

/** Version and header of each kind, from Azure's documentation of managed identities. */
function findEndpoint(env: Environment): Endpoint {
  const { IDENTITY_ENDPOINT: address, IDENTITY_HEADER: key, AZURE_POD_IDENTITY_AUTHORITY_HOST: authority } = env
  if (address) {
    if (!key)
      throw new HelperError(
        'not-configured',
        'IDENTITY_ENDPOINT is set, and IDENTITY_HEADER is not: this kind of managed identity cannot be used',
        'set identity to file, url or command, whichever gives an identity token here',
      )
    const url = parseAddress(address, 'IDENTITY_ENDPOINT', 'metadata')
    url.searchParams.set('api-version', '2019-08-01')
    return { who: "Azure's identity endpoint", url, header: ['x-identity-header', new Secret(key)], asker: sha256(key) }
  }
  const base = (authority || 'http://169.254.169.254').replace(/\/+$/, '')
  const url = parseAddress(`${base}/metadata/identity/oauth2/token`, 'AZURE_POD_IDENTITY_AUTHORITY_HOST', 'metadata')
  url.searchParams.set('api-version', '2018-02-01')
  return { who: "Azure's metadata service", url, header: ['metadata', new Secret('true')] }
}

function askSource(
  { who, url, header, asker }: Endpoint,
  { resource, client }: { resource: string; client: string | undefined },
): IdentitySource {
  url.searchParams.set('resource', resource)
  if (client !== undefined) url.searchParams.set('client_id', client)
  const way =
    'run this on Azure with a managed identity assigned, and where there are several name one with azure-client; audience is a resource that the directory knows'
  return {
    token: `the identity token from ${who}`,
    step: `the identity token from ${who} at ${url.host}`,
    inputs: { url: url.href, asker },
    // Azure writes the resource as its own version of it: with a scheme before it or as a bare ID.
    audience: undefined,
    renewal: way,
    audienceWay: 'correct audience',
    obtain: async (call) =>
      (await import('./ask-web.ts')).askWeb(
        { who, url, headers: [header], reach: 'metadata', field: 'access_token', way },
        call,
      ),
  }
}
