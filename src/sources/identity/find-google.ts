import { Secret } from '../../runtime/secret.ts'
import type { FindIdentity } from './identity-source.ts'
import { parseAddress } from './parse-address.ts'
import { requireOption } from './require-option.ts'

/** An address rather than a name, because looking up the name can take long outside Google Cloud. Google's documentation. */
const metadataHost = '169.254.169.254'

const path = '/computeMetadata/v1/instance/service-accounts/default/identity'

/** The header that a request must carry and that an answer of the service carries too. */
const flavor = ['metadata-flavor', 'Google'] as const

/** The token of the service account of a machine, container or function of Google Cloud. */
export const findGoogle: FindIdentity = ({ env }, options, call) => {
  const audience = requireOption(options, 'audience', 'name the audience of the identity token', call)
  const host = env.GCE_METADATA_HOST || metadataHost
  const url = parseAddress(`http://${host}${path}`, 'GCE_METADATA_HOST', 'metadata')
  url.search = String(new URLSearchParams({ audience, format: 'full' }))
  const name = "Google's metadata service"
  const hint =
    'run this on Google Cloud with a service account attached, or set identity to where the identity token is'
  const headers = [[flavor[0], new Secret(flavor[1])]] as const
  return {
    token: `the identity token from ${name}`,
    step: `the identity token from ${name} at ${url.host}`,
    inputs: { url: url.href },
    audience,
    renewalHint: hint,
    audienceHint: 'correct audience',
    obtain: async (mint) =>
      (await import('./fetch-identity-token.ts')).fetchIdentityToken(
        { name, url, headers, scope: 'metadata', field: undefined, requiredHeader: flavor, hint },
        mint,
      ),
  }
}
