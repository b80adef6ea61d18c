// The identity tokens of Google Cloud and of GitHub Actions.

import { toSha256 } from '../../runtime/digest.ts'
import { HelperError } from '../../runtime/failure.ts'
import { metadataAddress } from '../../runtime/network/addresses.ts'
import { Secret } from '../../runtime/secret.ts'
import { type PrepareIdentity, parseAddress, requireAudience } from './identity-source.ts'

/** Prepares the token of a service account on a machine, container or function of Google Cloud. */
export const prepareGoogle: PrepareIdentity = ({ env }, options, call) => {
  const audience = requireAudience(options, call)
  // An address instead of a name, because the lookup of a name can take long outside Google Cloud (Google Cloud documentation of the
  // metadata server).
  const host = env.GCE_METADATA_HOST || metadataAddress
  const url = parseAddress(`http://${host}${path}`, 'GCE_METADATA_HOST', 'metadata')
  url.search = String(new URLSearchParams({ audience, format: 'full' }))
  const name = "Google's metadata service"
  const hint =
    'run this on Google Cloud with a service account attached, or set identity to where the identity token is'
  const headers = [[flavor[0], new Secret(flavor[1])]] as const
  return {
    token: `the identity token from ${name}`,
    detail: ` at ${url.host}`,
    inputs: { url: url.href },
    audience,
    renewalHint: hint,
    obtain: async (mint) =>
      (await import('./fetch-identity-token.ts')).fetchIdentityToken(
        { name, url, headers, scope: 'metadata', field: undefined, requiredHeader: flavor, hint },
        mint,
      ),
  }
}

const path = '/computeMetadata/v1/instance/service-accounts/default/identity'

/** The header that the service requires in every request and sends in every answer. */
const flavor = ['metadata-flavor', 'Google'] as const

const urlVariable = 'ACTIONS_ID_TOKEN_REQUEST_URL'
const tokenVariable = 'ACTIONS_ID_TOKEN_REQUEST_TOKEN'
const permissionHint = 'give the job this permission in its workflow file: permissions: {id-token: write}'

/** Prepares the token that GitHub issues to a job of a workflow (GitHub documentation, "OpenID Connect reference"). */
export const prepareGithubActions: PrepareIdentity = ({ env }, { audience }) => {
  const { [urlVariable]: address, [tokenVariable]: token } = env
  if (!address || !token)
    throw new HelperError(
      'not-configured',
      `this is not a job of GitHub Actions that may request an identity token: ${address ? tokenVariable : urlVariable} is not set`,
      permissionHint,
    )
  const url = parseAddress(address, urlVariable, 'any-host')
  if (audience !== undefined) url.searchParams.set('audience', audience)
  const headers = [
    ['authorization', new Secret(`Bearer ${token}`)],
    ['accept', new Secret('application/json')],
  ] as const
  return {
    token: 'the identity token from GitHub Actions',
    detail: ` at ${url.host}`,
    // Both differ in each job. The token is a secret, so its digest is used.
    inputs: { url: url.href, token: toSha256(token) },
    audience,
    renewalHint: permissionHint,
    obtain: async (call) =>
      (await import('./fetch-identity-token.ts')).fetchIdentityToken(
        { name: 'GitHub Actions', url, headers, scope: 'any-host', field: 'value', hint: permissionHint },
        call,
      ),
  }
}
