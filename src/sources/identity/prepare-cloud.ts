// The identity tokens that a cloud gives its own machines and services: Google Cloud and Azure.

import { toSha256 } from '../../runtime/digest.ts'
import { HelperError } from '../../runtime/failure.ts'
import { metadataAddress } from '../../runtime/network/addresses.ts'
import type { Environment } from '../../runtime/run-process.ts'
import { Secret, type SecretHeader } from '../../runtime/secret.ts'
import {
  type IdentitySource,
  type PrepareIdentity,
  parseAddress,
  requireAudience,
  requireOption,
} from './identity-source.ts'
import { readFileSource } from './prepare-stored.ts'

/** Prepares the token of a service account on a machine, container or function of Google Cloud. */
export const prepareGoogle: PrepareIdentity = ({ env }, options, call) => {
  const audience = requireAudience(options, call)
  // An address instead of a name, because the lookup of a name can take long outside Google Cloud (Google Cloud documentation of the
  // metadata server).
  const host = env.GCE_METADATA_HOST || metadataAddress
  const url = parseAddress(`http://${host}${googlePath}`, 'GCE_METADATA_HOST', 'metadata')
  url.search = String(new URLSearchParams({ audience, format: 'full' }))
  const name = "Google's metadata service"
  const hint =
    'run this on Google Cloud with a service account attached, or set identity to where the identity token is'
  const headers = [[googleHeader[0], new Secret(googleHeader[1])]] as const
  return {
    token: `the identity token from ${name}`,
    detail: ` at ${url.host}`,
    inputs: { url: url.href },
    audience,
    renewalHint: hint,
    obtain: async (mint) =>
      (await import('./fetch-identity-token.ts')).fetchIdentityToken(
        { name, url, headers, scope: 'metadata', field: undefined, requiredHeader: googleHeader, hint },
        mint,
      ),
  }
}

const googlePath = '/computeMetadata/v1/instance/service-accounts/default/identity'

/** The header that Google's service requires in every request and sends in every answer. */
const googleHeader = ['metadata-flavor', 'Google'] as const

/**
 * Prepares the token of a workload on Azure: in the file of a pod with workload identity, else at the endpoint of App Service and similar
 * services, else at the metadata service of the machine. The first two exist if their variables are set.
 */
export const prepareAzure: PrepareIdentity = (host, options, call) => {
  const path = host.env[azureFileVariable]
  if (path)
    return readFileSource(host, options, {
      path,
      renewalHint: `check that workload identity is on for this pod and its service account; ${azureFileVariable} names the file`,
      audienceHint: `correct audience: the cluster chooses that of the file in ${azureFileVariable}`,
    })
  const resource = requireOption(options, 'audience', 'name the resource that the identity token is for', call)
  return createAzureSource(resolveAzureEndpoint(host.env), { resource, client: options['azure-client'] })
}

const azureFileVariable = 'AZURE_FEDERATED_TOKEN_FILE'

interface AzureEndpoint {
  /** The name of the endpoint in messages. */
  readonly name: string
  readonly url: URL
  readonly header: SecretHeader
  /** A digest of the header, which is a secret. It distinguishes the App Service sites of this machine. */
  readonly callerDigest?: string
}

/**
 * Resolves the endpoint: `IDENTITY_ENDPOINT`, else the metadata service at `AZURE_POD_IDENTITY_AUTHORITY_HOST`, else at the address that
 * every machine on Azure has. The version and header of each kind are from Microsoft's documentation of managed identities.
 * @throws {HelperError} `not-configured` for an endpoint without its header, or an address that is not one.
 */
function resolveAzureEndpoint(env: Environment): AzureEndpoint {
  const { IDENTITY_ENDPOINT: address, IDENTITY_HEADER: key, AZURE_POD_IDENTITY_AUTHORITY_HOST: authority } = env
  if (address) {
    if (!key)
      throw new HelperError(
        'not-configured',
        'IDENTITY_ENDPOINT is set and IDENTITY_HEADER is not: this kind of managed identity is not supported',
        'set identity to file, url or command, whichever gives an identity token here',
      )
    const url = parseAddress(address, 'IDENTITY_ENDPOINT', 'metadata')
    url.searchParams.set('api-version', '2019-08-01')
    const header = ['x-identity-header', new Secret(key)] as const
    return { name: "Azure's identity endpoint", url, header, callerDigest: toSha256(key) }
  }
  const base = (authority || `http://${metadataAddress}`).replace(/\/+$/, '')
  const url = parseAddress(`${base}/metadata/identity/oauth2/token`, 'AZURE_POD_IDENTITY_AUTHORITY_HOST', 'metadata')
  url.searchParams.set('api-version', '2018-02-01')
  return { name: "Azure's metadata service", url, header: ['metadata', new Secret('true')] }
}

function createAzureSource(
  { name, url, header, callerDigest }: AzureEndpoint,
  { resource, client }: { resource: string; client: string | undefined },
): IdentitySource {
  const address = new URL(url)
  address.searchParams.set('resource', resource)
  if (client !== undefined) address.searchParams.set('client_id', client)
  const hint =
    'run this on Azure with a managed identity assigned, and name one with azure-client if there are several; audience must be a resource that the directory knows'
  return {
    token: `the identity token from ${name}`,
    detail: ` at ${address.host}`,
    inputs: { url: address.href, callerDigest },
    // Azure's token has another form of the resource as its audience, with a scheme before it or as a bare ID.
    audience: undefined,
    renewalHint: hint,
    obtain: async (call) =>
      (await import('./fetch-identity-token.ts')).fetchIdentityToken(
        { name, url: address, headers: [header], scope: 'metadata', field: 'access_token', hint },
        call,
      ),
  }
}
