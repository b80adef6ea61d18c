import { expect, test } from 'vitest'
import { Deadline } from '../../../src/runtime/deadline.ts'
import { HelperError } from '../../../src/runtime/failure.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import type { SignInStore, StoredSignIn } from '../../../src/sources/oauth/store/sign-in-store.ts'
import type { ExchangePlan } from '../../../src/sources/oidc-token/plan-exchange.ts'
import { prepareAtPlatform } from '../../../src/sources/oidc-token/prepare-at-platform.ts'

const target = {
  baseUrl: 'https://api.example',
  organizationId: 'org_1',
  federationRuleId: 'fdrl_1',
  serviceAccountId: undefined,
  workspaceId: 'wrkspc_1',
}
const platform: ExchangePlan = {
  settings: { form: 'platform', target: { ...target, host: 'api.example' }, reuse: 'never' },
  steps: [],
}
const other: ExchangePlan = {
  settings: {
    form: 'jwt-bearer',
    subject: 'id_token',
    endpoint: { url: 'https://as.example', setting: 'exchange-url' },
    client: { id: undefined },
    resources: [],
    parameters: [],
  },
  steps: [],
}
const [idToken, accessToken] = [new Secret('id'), new Secret('access')]
const deadline = new Deadline({ seconds: 20, hint: 'h' }, { elapsedMs: () => 0 })

function attempt(plan: ExchangePlan | undefined, type: 'id_token' | 'access_token', read: SignInStore['read']) {
  const store = { read } as SignInStore // nothing else is asked of it
  return prepareAtPlatform(plan, { bearerTokenType: type }, { store, deadline })
}

const signedIn = async (): Promise<StoredSignIn> => ({ id: '1', since: 0, tokens: { idToken, accessToken } })

test.each([
  ['id_token', idToken],
  ['access_token', accessToken],
] as const)('the %s that is kept is the one that was sent to the platform', async (type, assertion) => {
  expect(await attempt(platform, type, signedIn)).toEqual({
    ...target,
    assertion,
    audience: undefined,
    supply: 'stored',
    reuse: 'never',
  })
})

test.each<[where: string, plan: ExchangePlan | undefined, read: SignInStore['read']]>([
  ['for another exchange', other, signedIn],
  ['without an exchange', undefined, signedIn],
  ['where no token is kept', platform, async () => undefined],
  ['where none can be read', platform, () => Promise.reject(new HelperError('not-configured', 'm', 'h'))],
])('no attempt is described %s', async (_, plan, read) => {
  expect(await attempt(plan, 'id_token', read)).toBeUndefined()
})
