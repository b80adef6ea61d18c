import { expect, test } from 'vitest'
import { fetchInTime } from '../../../../../src/runtime/network/fetch-in-time.ts'
import type { OidcSettings } from '../../../../../src/sources/oauth/oidc/oidc-settings.ts'
import { connectProvider } from '../../../../../src/sources/oauth/oidc/protocol/connect-provider.ts'
import { toStableText } from '../../../../setup/to-stable-text.ts'
import type { Lies } from '../../../../stand-ins/lying-provider/lies.ts'
import { failureOf, type LiarBench, signInWith, startLiarBench } from '../liar-bench.ts'

const again = 'start again; if that happens once more, report this to whoever runs the provider'
const reportIt = 'report this to whoever runs HOST'
const unsigned = 'is signed with "none", which is not accepted here'

test.each<[idToken: NonNullable<Lies['idToken']>, problem: string, hint: string]>([
  [
    { claims: { iss: 'https://else.example' } },
    'names the issuer "https://else.example", not "http://HOST"',
    'set issuer to the one whose tokens these are, or report this to whoever runs the provider',
  ],
  [{ claims: { aud: 'x' } }, 'is not for the client "desktop" (aud)', again],
  [{ claims: { nonce: 'x' } }, 'belongs to another sign-in (nonce)', again],
  [{ claims: { sub: undefined } }, 'lacks a claim, or has it in a wrong form (sub)', reportIt],
  [{ claims: { exp: 1e9 } }, "is not valid at this time by the provider's own clock (exp)", reportIt],
  [{ signature: 'wrong' }, 'has a wrong signature', again],
  [{ signer: 'unpublished' }, 'is signed with a key that is not, or not clearly, among its published keys', reportIt],
  [{ signer: 'nobody' }, unsigned, reportIt],
])('the message says in words what is wrong with the ID token, %j', async (idToken, problem, hint) => {
  expect(await failureWith({ idToken })).toEqual(['refused', `the ID token of HOST ${problem}`, hint])
})

test('an ID token that nobody has signed is refused although the provider announces that', async () => {
  const members = { discovery: { id_token_signing_alg_values_supported: ['none'] } }
  const failure = await failureWith({ idToken: { signer: 'nobody' }, members })
  expect(failure).toEqual(['refused', `the ID token of HOST ${unsigned}`, reportIt])
})

test.each<[members: NonNullable<Lies['members']>, message: string, hint: string]>([
  [
    { token: { id_token: undefined } },
    'HOST issued no ID token, which the gateway needs',
    'report this to whoever runs the provider, or have the gateway take access tokens and set bearer-token-type to access_token, with scopes',
  ],
  [
    { authorize: { iss: 'https://else.example' } },
    'the browser did not come back from HOST but from another provider (iss)',
    again,
  ],
  [
    { discovery: { authorization_response_iss_parameter_supported: true }, authorize: { iss: undefined } },
    'the browser came back from HOST without the issuer that the provider promises (iss)',
    reportIt,
  ],
  [
    { discovery: { token_endpoint: 'http://else.example/token' } },
    'the description of HOST names no https address as its token_endpoint',
    reportIt,
  ],
  [
    { discovery: { authorization_endpoint: undefined } },
    'the description of HOST has no usable "authorization_endpoint"',
    reportIt,
  ],
])('the message says in words what is wrong with an answer, %j', async (members, message, hint) => {
  expect(await failureWith({ members })).toEqual(['refused', message, hint])
})

/** Returns the failure of a sign-in at a provider that lies, which is called HOST in it. */
async function failureWith(lies: Lies, more?: Partial<OidcSettings>): Promise<unknown> {
  const bench = await startLiarBench(lies, more)
  return ((await failureOf(bench.signIn())) as string[]).map((text) => text.replaceAll(bench.host, 'HOST'))
}

const busy = { headers: { 'retry-after': '0' }, body: {} }

test.each<[name: string, answer: NonNullable<Lies['answers']>['token'], problem: string]>([
  ['is a web page', 'html', 'answered with a web page (HTTP 200)'],
  ['is lost', 'reset', 'cannot be reached (ECONNRESET)'],
  ['says that the provider is busy', { ...busy, status: 503 }, 'is busy or broken (HTTP 503)'],
  ['says that it had too many requests', { ...busy, status: 429 }, 'is busy or broken (HTTP 429)'],
])('a code is sent once, also where the answer %s', async (_, answer, problem) => {
  const bench = await startLiarBench({ answers: { token: [answer as 'reset', 'honest'] } })
  expect({ failure: await failureOf(bench.signIn()), asked: endpointsOf(bench) }).toEqual({
    failure: [
      'unavailable',
      `${bench.host} ${problem}; the code of the sign-in, which is valid once, is lost with that`,
      'start again, which begins a new sign-in',
    ],
    asked: ['discovery', 'authorize', 'keys', 'token'],
  })
})

test('the keys are fetched before the code is sent, and once more after a failure', async () => {
  const bench = await startLiarBench({ answers: { keys: ['reset', 'honest'] } })
  await bench.signIn()
  expect(endpointsOf(bench)).toEqual(['discovery', 'authorize', 'keys', 'keys', 'token'])
})

const ago = (seconds: number) => Math.floor(Date.now() / 1000) - seconds

test.each([
  ['300', ago(10)],
  // No limit was asked for.
  ['soon', ago(3_600)],
  [undefined, ago(3_600)],
])('with max_age %s, a sign-in of the time %j is taken', async (limit, auth_time) => {
  const bench = await startLiarBench(
    { idToken: { claims: { auth_time } } },
    { parameters: { ...(limit && { max_age: limit }) } },
  )
  expect((await bench.signIn()).subject).toBe('person-1')
})

test.each([
  ['300', { auth_time: ago(3_600) }, "is not valid at this time by the provider's own clock (auth_time)"],
  ['300', {}, 'lacks a claim, or has it in a wrong form (auth_time)'],
  ['0', { auth_time: ago(600) }, "is not valid at this time by the provider's own clock (auth_time)"],
])('with max_age %s, a sign-in of the time %j is refused', async (max_age, claims, problem) => {
  const bench = await startLiarBench({ idToken: { claims } }, { parameters: { max_age } })
  expect(await failureOf(bench.signIn())).toEqual([
    'refused',
    `the ID token of ${bench.host} ${problem}`,
    `report this to whoever runs ${bench.host}`,
  ])
})

const hourMs = 3_600_000

/** The provider's clock is that far ahead of this machine's, as its `Date` says. */
async function signInAhead(offsetMs: number, claims: (now: number) => object, more = {}) {
  const bench = await startLiarBench({ idToken: { claims: { ...claims(Math.floor(Date.now() / 1000)) } } }, more)
  const fetch: typeof fetchInTime = async (...request) => {
    const response = await fetchInTime(...request)
    response.headers.set('date', new Date(Date.now() + offsetMs).toUTCString())
    return response
  }
  return signInWith(() => connectProvider(bench.settings, { ...bench.parts, fetch }))
}

test.each<[how: string, aheadMs: number, claims: (now: number) => object]>([
  ['behind', -2 * hourMs, (now) => ({ iat: now - 2 * 3600, exp: now - 3600 })],
  ['ahead', hourMs, (now) => ({ iat: now + 3600, nbf: now + 3600, exp: now + 2 * 3600 })],
])(
  "the end of a token of a provider whose clock is %s is converted to this machine's clock",
  async (_, aheadMs, claims) => {
    const { tokens } = await signInAhead(aheadMs, claims)
    expect(Math.round(((tokens.expiresAt?.getTime() ?? 0) - Date.now()) / 60_000)).toBe(60)
  },
)

test("tokens are checked by the provider's clock", async () => {
  const early = (now: number) => ({ nbf: now + 3600 })
  const [kind, message] = (await failureOf(signInAhead(0, early))) as string[]
  expect([kind, toStableText(message!)]).toEqual([
    'refused',
    "the ID token of 127.0.0.1:PORT is not valid at this time by the provider's own clock (nbf)",
  ])
})

test('an access token ends when its stated life is over, even if the ID token says otherwise', async () => {
  const access = { bearerTokenType: 'access_token', scopes: 'openid' } as const
  const { tokens } = await signInAhead(hourMs, () => ({ exp: 9_999_999_999 }), access)
  expect(tokens.expiresAt?.getTime()).toBeLessThan(Date.now() + hourMs + 1)
})

/** A sign-in at a provider of which the addresses alone are known. */
async function startUndiscovered(lies: Lies) {
  const bench = await startLiarBench(lies)
  const { issuer } = bench.provider
  const addresses = { issuer: undefined, authorizationUrl: `${issuer}/authorize`, tokenUrl: `${issuer}/token` }
  const signIn = () => signInWith(() => connectProvider({ ...bench.settings, ...addresses }, bench.parts))
  return { host: bench.host, signIn }
}

test('without discovery the signature of an ID token cannot be verified, because no keys are known', async () => {
  const { signIn } = await startUndiscovered({ idToken: { signer: 'unpublished' } })
  expect((await signIn()).subject).toBe('person-1')
})

test.each<[what: string, lies: Lies, message: string, hint: string]>([
  [
    'must name the issuer that the browser returned from',
    { members: { authorize: { iss: 'https://else.example' } } },
    'the browser did not come back from HOST but from another provider (iss)',
    again,
  ],
  [
    'that nobody has signed is refused',
    { idToken: { signer: 'nobody' } },
    `the ID token of HOST ${unsigned}`,
    reportIt,
  ],
])('without discovery an ID token %s', async (_, lies, message, hint) => {
  const { host, signIn } = await startUndiscovered(lies)
  const failure = (await failureOf(signIn())) as string[]
  expect(failure.map((text) => text.replaceAll(host, 'HOST'))).toEqual(['refused', message, hint])
})

test.each<[what: string, token: Record<string, unknown>, problem: string, hint: string]>([
  [
    'that is bound to a key is refused, because the gateway could not use it',
    { token_type: 'DPoP', id_token: undefined },
    'that is bound to a key, not a bearer token',
    'ask whoever runs the provider to issue bearer tokens to this client',
  ],
  [
    'with no life left is refused',
    { expires_in: 0 },
    'that expires at once (expires_in is 0)',
    'ask whoever runs HOST to issue access tokens that live for some minutes',
  ],
])('an access token %s', async (_, token, problem, hint) => {
  const more = { bearerTokenType: 'access_token', scopes: 'turns' } as const
  expect(await failureWith({ members: { token } }, more)).toEqual([
    'refused',
    `HOST issued an access token ${problem}`,
    hint,
  ])
})

function endpointsOf({ provider }: LiarBench): string[] {
  return provider.requests.map(({ endpoint }) => endpoint)
}
