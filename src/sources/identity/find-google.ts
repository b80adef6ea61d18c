import { Secret } from '../../runtime/secret.ts'
import { parseAddress } from './address.ts'
import type { FindIdentity } from './identity-source.ts'
import { demandOption } from './required.ts'

/** By number, because looking up its name can take long where there is none. Google's documentation. */
const metadataHost = '169.254.169.254'

const flavor = ['metadata-flavor', 'Google'] as const

/** The token of the service account of a machine, container or function of Google Cloud. */
export const findGoogle: FindIdentity = ({ env }, options) => {
  const audience = demandOption(options, 'audience', 'say for whom the identity token shall be')
  const host = env.GCE_METADATA_HOST || metadataHost
  const url = parseAddress(`http://${host}${path}`, 'GCE_METADATA_HOST', 'metadata')
  url.search = String(new URLSearchParams({ audience, format: 'full' }))
  const way = 'run this on Google Cloud with a service account attached, or set identity to where the identity token is'
  const headers = [[flavor[0], new Secret(flavor[1])]] as const
  return {
    token: "the identity token from Google's metadata service",
    step: `the identity token from Google's metadata service at ${url.host}`,
    inputs: { url: url.href },
    audience,
    renewal: way,
    audienceWay: 'correct audience',
    obtain: async (call) =>
      (await import('./ask-web.ts')).askWeb(
        { who: "Google's metadata service", url, headers, reach: 'metadata', field: undefined, sign: flavor, way },
        call,
      ),
  }
}

const path = '/computeMetadata/v1/instance/service-accounts/default/identity'
