import { expect, test } from 'vitest'
import { computeScope } from '../../../../src/sources/oauth/oidc/oidc-settings.ts'

test.each([
  ['id_token', undefined, true, 'openid offline_access'],
  ['id_token', undefined, false, 'openid'],
  ['id_token', 'email profile', true, 'openid email profile offline_access'],
  ['id_token', ' openid  email offline_access', true, 'openid email offline_access'],
  ['access_token', 'api://gateway/.default', true, 'api://gateway/.default offline_access'],
  ['access_token', 'turns', false, 'turns'],
] as const)(
  'for an %s with the scopes %s and offline_access appended %s: %s',
  (bearerTokenType, scopes, append, scope) => {
    expect(computeScope({ bearerTokenType, scopes, appendOfflineAccess: append })).toBe(scope)
  },
)
