import { defineHelper } from '../src/helper/define-helper.ts'
import { oidcTokenDiagnosis } from '../src/sources/oidc-token/diagnosis.ts'
import { planOidcToken } from '../src/sources/oidc-token/plan.ts'
import { oidcTokenFacts, oidcTokenOptions } from '../src/sources/oidc-token/settings/options.ts'
import { oidcSignIn } from '../src/sources/oidc-token/sign-in.ts'

export default defineHelper({
  summary: 'print the token of a person who has signed in with an OpenID provider',
  options: oidcTokenOptions,
  facts: oidcTokenFacts,
  suggestedTtlSec: 240,
  plan: planOidcToken,
  ...oidcTokenDiagnosis,
  ...oidcSignIn,

  async mint(host, options, call, plan) {
    // Loaded here, so that a call that is served from the cache does not wait for it.
    const { mintPersonToken } = await import('../src/sources/oidc-token/mint.ts')
    return mintPersonToken(host, options, call, plan)
  },
})
