import { defineHelper } from '../src/helper/define-helper.ts'
import { oidcSignIn, oidcTokenDiagnosis } from '../src/sources/oidc-token/oidc-token-declaration.ts'
import { oidcTokenFacts, oidcTokenOptions } from '../src/sources/oidc-token/oidc-token-options.ts'
import { planOidcToken, validateOidcToken } from '../src/sources/oidc-token/plan-person-token.ts'

export default defineHelper({
  summary: 'print the token of a person who has signed in with an OpenID provider',
  options: oidcTokenOptions,
  help: {
    options: ['client-id', 'issuer', 'scopes', 'bearer-token-type', 'redirect-port', 'sign-in', 'refresh-token-store'],
    examples: [
      'sign-in --client-id gatepass --issuer https://id.example.com',
      'whoami --client-id gatepass --issuer https://id.example.com',
      '--client-id gatepass --issuer https://id.example.com --explain',
    ],
  },
  facts: oidcTokenFacts,
  suggestedTtlSec: 240,
  validate: validateOidcToken,
  plan: planOidcToken,
  ...oidcTokenDiagnosis,
  ...oidcSignIn,

  async noteRefusal(host, options, call, plan, refresh) {
    const { recordPersonRefusal } = await import('../src/sources/oidc-token/mint-person-token.ts')
    await recordPersonRefusal(host, options, call, plan, refresh)
  },

  async mint(host, options, call, plan) {
    const { mintPersonToken } = await import('../src/sources/oidc-token/mint-person-token.ts')
    return mintPersonToken(host, options, call, plan)
  },
})
