import type { ExportedJWKSCache } from 'openid-client'
import { HelperError } from '../../../../runtime/failure.ts'
import { parseObject } from '../../../../runtime/parse-object.ts'
import { computeScope } from '../compute-scope.ts'
import { describeProvider } from '../describe-provider.ts'
import { refuseNoAnswer } from '../discovery/refuse-no-answer.ts'
import type { ProviderConnection } from './provider-connection.ts'

/** In seconds: openid-client looks for a key that it does not find among those that are as old, and so for one that is new. */
const oldSec = 60

/**
 * The keys of a provider, before anything is sent that is valid once: were they to fail afterwards, the tokens of an answer could
 * not be verified and would be lost, a rotated refresh token among them. `undefined` where no ID token is expected, or none of its
 * keys is known.
 */
export async function fetchKeys({
  settings,
  metadata,
  parts,
}: ProviderConnection): Promise<ExportedJWKSCache | undefined> {
  const { issuer, jwks_uri: url } = metadata
  const isExpected = computeScope(settings).split(' ').includes('openid')
  if (!isExpected || issuer === undefined || typeof url !== 'string') return undefined
  const provider = describeProvider(settings)
  const name = `the list of keys of ${provider}`
  const response = await parts.fetch(parts.call, { name, url }, { headers: { accept: 'application/json' } })
  refuseNoAnswer(response, name)
  const jwks = parseObject(await response.text())
  if (response.status === 200 && Array.isArray(jwks?.keys))
    return { jwks: { keys: jwks.keys }, uat: Math.floor(Date.now() / 1000) - oldSec }
  throw new HelperError('unavailable', `${name} cannot be read (HTTP ${response.status})`, `ask who runs ${provider}`)
}
