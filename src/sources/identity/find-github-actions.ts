import { sha256 } from '../../runtime/digest.ts'
import { HelperError } from '../../runtime/failure.ts'
import { Secret } from '../../runtime/secret.ts'
import { parseAddress } from './address.ts'
import type { FindIdentity } from './identity-source.ts'

const urlVariable = 'ACTIONS_ID_TOKEN_REQUEST_URL'
const tokenVariable = 'ACTIONS_ID_TOKEN_REQUEST_TOKEN'
const permission = 'give the job in its workflow file: permissions: id-token: write'

/** The token that GitHub makes for a job of a workflow. GitHub's documentation of OpenID Connect. */
export const findGithubActions: FindIdentity = ({ env }, { audience }) => {
  const { [urlVariable]: address, [tokenVariable]: token } = env
  if (!address || !token)
    throw new HelperError(
      'not-configured',
      `this is no job of GitHub Actions that may have an identity token: ${address ? tokenVariable : urlVariable} is not set`,
      permission,
    )
  const url = parseAddress(address, urlVariable, 'anybody')
  if (audience !== undefined) url.searchParams.set('audience', audience)
  const headers = [
    ['authorization', new Secret(`Bearer ${token}`)],
    ['accept', new Secret('application/json')],
  ] as const
  return {
    token: 'the identity token from GitHub Actions',
    step: `the identity token from GitHub Actions at ${url.host}`,
    // Both are the job's own; a digest does not tell the token.
    inputs: { url: url.href, token: sha256(token) },
    audience,
    renewal: permission,
    audienceWay: 'correct audience',
    obtain: async (call) =>
      (await import('./ask-web.ts')).askWeb(
        { who: 'GitHub Actions', url, headers, reach: 'anybody', field: 'value', way: permission },
        call,
      ),
  }
}
