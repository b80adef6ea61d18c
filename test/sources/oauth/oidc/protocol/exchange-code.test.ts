import { expect, test } from 'vitest'
import { fetchInTime } from '../../../../../src/runtime/network/fetch-in-time.ts'
import { connectProvider } from '../../../../../src/sources/oauth/oidc/protocol/connect-provider.ts'
import { toStableText } from '../../../../setup/to-stable-text.ts'
import type { Lies } from '../../../../stand-ins/lying-provider/lies.ts'
import { failureOf, type LiarBench, signInWith, startLiarBench } from '../liar-bench.ts'

const again = 'start again; if that happens once more, report this to whoever runs the provider'
const askProvider = 'report this to whoever runs HOST'

test.each<[lies: Lies, kind: string, message: string, hint: string]>([
  [
    { idToken: { claims: { iss: 'https://else.example' } } },
    'refused',
    'the ID token of HOST names the issuer "https://else.example", not "http://HOST"',
    'set issuer to the one whose tokens these are, or report this to whoever runs the provider',
  ],
  [
    { idToken: { claims: { aud: 'x' } } },
    'refused',
    'the ID token of HOST is not for the client "desktop" (aud)',
    again,
  ],
  [
    { idToken: { claims: { nonce: 'x' } } },
    'refused',
    'the ID token of HOST belongs to another sign-in (nonce)',
    again,
  ],
  [
    { idToken: { claims: { sub: undefined } } },
    'refused',
    'the ID token of HOST lacks a claim, or has it in a wrong form (sub)',
    askProvider,
  ],
  [
    { idToken: { claims: { exp: 1_000_000_000 } } },
    'refused',
    "the ID token of HOST is not valid at this time by the provider's own clock (exp)",
    askProvider,
  ],
  [{ idToken: { signature: 'wrong' } }, 'refused', 'the ID token of HOST has a wrong signature', again],
  [
    { idToken: { signer: 'unpublished' } },
    'refused',
    'the ID token of HOST is signed with a key that is not, or not clearly, among its published keys',
    askProvider,
  ],
  [
    { idToken: { signer: 'nobody' } },
    'refused',
    'the ID token of HOST is signed with "none", which is not accepted here',
    askProvider,
  ],
  [
    { members: { discovery: { id_token_signing_alg_values_supported: ['none'] } }, idToken: { signer: 'nobody' } },
    'refused',
    'the ID token of HOST is signed with "none", which is not accepted here',
    askProvider,
  ],
  [
    { members: { token: { id_token: undefined } } },
    'refused',
    'HOST issued no ID token, which the gateway needs',
    'report this to whoever runs the provider, or have the gateway take access tokens and set bearer-token-type to access_token, with scopes',
  ],
  [
    { members: { authorize: { iss: 'https://else.example' } } },
    'refused',
    'the browser did not come back from HOST but from another provider (iss)',
    again,
  ],
  [
    { members: { discovery: { authorization_response_iss_parameter_supported: true }, authorize: { iss: undefined } } },
    'refused',
    'the browser came back from HOST without the issuer that the provider promises (iss)',
    askProvider,
  ],
  [
    { members: { discovery: { token_endpoint: 'http://else.example/token' } } },
    'refused',
    'the description of HOST names no https address as its token_endpoint',
    'report this to whoever runs HOST',
  ],
  [
    { members: { discovery: { authorization_endpoint: undefined } } },
    'refused',
    'the description of HOST has no usable "authorization_endpoint"',
    askProvider,
  ],
  [
    { answers: { token: 'html' } },
    'unavailable',
    'HOST answered with a web page (HTTP 200); the code of the sign-in, which is valid once, is lost with that',
    'start again, which begins a new sign-in',
  ],
])('the message says in words what is wrong with an answer, %j', async (lies, kind, message, hint) => {
  const bench = await startLiarBench(lies)
  const toText = (text: string) => text.replaceAll('HOST', bench.host)
  expect(await failureOf(bench.signIn())).toEqual([kind, toText(message), toText(hint)])
})

const busy = { headers: { 'retry-after': '0' }, body: {} }

test.each<[name: string, answer: NonNullable<Lies['answers']>['token'], problem: string]>([
  ['is lost', 'reset', 'cannot be reached (ECONNRESET)'],
  ['says that the provider is busy', { ...busy, status: 503 }, 'is busy or broken (HTTP 503)'],
  ['says that it had too many requests', { ...busy, status: 429 }, 'is busy or broken (HTTP 429)'],
])('a code is sent once, also where the answer %s', async (_, answer, problem) => {
  const bench = await startLiarBench({ answers: { token: [answer as 'reset', 'honest'] } })
  expect(await failureOf(bench.signIn())).toEqual([
    'unavailable',
    `${bench.host} ${problem}; the code of the sign-in, which is valid once, is lost with that`,
    'start again, which begins a new sign-in',
  ])
  expect(endpointsOf(bench)).toEqual(['discovery', 'authorize', 'keys', 'token'])
})

test('the keys are fetched before the code is sent, and once more after a failure', async () => {
  const bench = await startLiarBench({ answers: { keys: ['reset', 'honest'] } })
  expect((await bench.signIn()).subject).toBe('person-1')
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

test('without discovery an ID token must name the issuer that the browser returned from', async () => {
  const { host, signIn } = await startUndiscovered({ members: { authorize: { iss: 'https://else.example' } } })
  expect(await failureOf(signIn())).toEqual([
    'refused',
    `the browser did not come back from ${host} but from another provider (iss)`,
    again,
  ])
})

test('without discovery the signature of an ID token cannot be verified, because no keys are known', async () => {
  const { signIn } = await startUndiscovered({ idToken: { signer: 'unpublished' } })
  expect((await signIn()).subject).toBe('person-1')
})

test('without discovery an ID token that nobody has signed is refused', async () => {
  const { host, signIn } = await startUndiscovered({ idToken: { signer: 'nobody' } })
  expect(await failureOf(signIn())).toEqual([
    'refused',
    `the ID token of ${host} is signed with "none", which is not accepted here`,
    `report this to whoever runs ${host}`,
  ])
})

test('an access token that is bound to a key is refused, because the gateway could not use it', async () => {
  const more = { bearerTokenType: 'access_token', scopes: 'turns' } as const
  const bench = await startLiarBench({ members: { token: { token_type: 'DPoP', id_token: undefined } } }, more)
  expect(await failureOf(bench.signIn())).toEqual([
    'refused',
    `${bench.host} issued an access token that is bound to a key, not a bearer token`,
    'ask whoever runs the provider to issue bearer tokens to this client',
  ])
})

test('an access token with no life left is refused', async () => {
  const more = { bearerTokenType: 'access_token', scopes: 'turns' } as const
  const bench = await startLiarBench({ members: { token: { expires_in: 0 } } }, more)
  expect(await failureOf(bench.signIn())).toEqual([
    'refused',
    `${bench.host} issued an access token that expires at once (expires_in is 0)`,
    `ask whoever runs ${bench.host} to issue access tokens that live for some minutes`,
  ])
})

function endpointsOf({ provider }: LiarBench): string[] {
  return provider.requests.map(({ endpoint }) => endpoint)
}
