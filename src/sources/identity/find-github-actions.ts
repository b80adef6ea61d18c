import { toSha256 } from '../../runtime/digest.ts'
import { HelperError } from '../../runtime/failure.ts'
import { Secret } from '../../runtime/secret.ts'
import type { FindIdentity } from './identity-source.ts'
import { parseAddress } from './parse-address.ts'

const urlVariable = 'ACTIONS_ID_TOKEN_REQUEST_URL'
const tokenVariable = 'ACTIONS_ID_TOKEN_REQUEST_TOKEN'
const permissionHint = 'give the job this permission in its workflow file: permissions: id-token: write'

/** The token that GitHub issues to a job of a workflow. GitHub's documentation of OpenID Connect. */
export const findGithubActions: FindIdentity = ({ env }, { audience }) => {
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
    step: `the identity token from GitHub Actions at ${url.host}`,
    // Both belong to one job; the token is a secret, so its digest stands for it.
    inputs: { url: url.href, token: toSha256(token) },
    audience,
    renewalHint: permissionHint,
    audienceHint: 'correct audience',
    obtain: async (call) =>
      (await import('./fetch-identity-token.ts')).fetchIdentityToken(
        { name: 'GitHub Actions', url, headers, scope: 'any-host', field: 'value', hint: permissionHint },
        call,
      ),
  }
}
