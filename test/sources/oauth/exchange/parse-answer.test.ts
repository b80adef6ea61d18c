import { afterAll, expect, test } from 'vitest'
import { sendGrant } from '../../../../src/sources/oauth/exchange/send-grant.ts'
import { startServer } from '../../../stand-ins/lying-provider/start-server.ts'
import { startParts } from '../made-up-parts.ts'

const type = (name: string) => `urn:ietf:params:oauth:token-type:${name}`
const bearer = { access_token: 'canary', token_type: 'Bearer' }

let text = ''
const server = await startServer((_, response) => void response.end(text))
afterAll(() => server.close())

type Expected = Parameters<typeof sendGrant>[1]

async function exchange(answer: unknown, expected: Partial<Expected> = {}) {
  text = typeof answer === 'string' ? answer : JSON.stringify(answer)
  const url = new URL(server.url)
  const request = { endpoint: { url, setting: 'exchange-url' }, client: { id: 'c' }, parameters: [] }
  const rest = { token: 'the ID token', origin: 'exchange', isIdempotent: false } as const
  try {
    const granted = await sendGrant({ ...request, ...rest }, { use: 'bearer', ...expected }, await startParts())
    const { token, expiresInSec, scope } = granted
    return { token: token.reveal(), expiresInSec, scope }
  } catch (error) {
    const { kind, message, hint } = error as { kind: string; message: string; hint: string }
    const [problem, way] = [message, hint].map((words) => words.replace(url.host, 'as.example'))
    return [kind, problem?.replace('the answer of as.example to the token exchange cannot be used: ', ''), way]
  }
}

const granted = { token: 'canary', expiresInSec: undefined, scope: undefined }

test.each<[name: string, answer: unknown, expected: Partial<Expected>, result: object]>([
  ['an answer without an end', bearer, {}, granted],
  ['a life as a number', { ...bearer, expires_in: 60 }, {}, { ...granted, expiresInSec: 60 }],
  ['a life as a text', { ...bearer, expires_in: '60' }, {}, { ...granted, expiresInSec: 60 }],
  ['a scope', { ...bearer, scope: 'a b' }, {}, { ...granted, scope: 'a b' }],
  ['a type in small letters', { ...bearer, token_type: 'bearer' }, {}, granted],
  ['a refresh token, which is left out', { ...bearer, refresh_token: 'r' }, {}, granted],
  ['an access token', { ...bearer, issued_token_type: type('access_token') }, {}, granted],
  ['what was asked for', { ...bearer, issued_token_type: type('jwt') }, { type: type('jwt') }, granted],
  ['a JWT that is no access token', { ...bearer, token_type: 'N_A', issued_token_type: type('jwt') }, {}, granted],
  [
    'an ID-JAG',
    { access_token: 'canary', token_type: 'N_A', issued_token_type: type('id-jag') },
    { type: type('id-jag'), use: 'assertion' },
    granted,
  ],
])('%s is accepted', async (_, answer, expected, result) => {
  expect(await exchange(answer, expected)).toEqual(result)
})

const check = 'check that as.example is the right server, and that nothing answers in its place'
const asked = 'correct exchange-requested-token-type, or remove it to let the server choose'
const usable = 'set exchange-requested-token-type to access_token, or to what the gateway verifies'
const proof = 'have as.example issue bearer tokens to this client, because that is all that the client sends'

const noObject = ['it is not a JSON object', check] as const
const unexpected = (member: string) => [`${member} is not as expected`, check] as const
const without = (name: string) => `it issued a token without issued_token_type, not ${type(name)}`
const issued = (name: string) => ({ ...bearer, issued_token_type: type(name) })

test.each<[answer: unknown, problem: string, hint: string, expected?: Partial<Expected>]>([
  ['<html>', ...noObject],
  [[bearer], ...noObject],
  [{ token_type: 'Bearer' }, ...unexpected('access_token')],
  [{ ...bearer, access_token: 'a\nb' }, ...unexpected('access_token')],
  [{ ...bearer, token_type: undefined }, ...unexpected('token_type')],
  [{ ...bearer, token_type: 'N_A' }, ...unexpected('token_type')],
  [{ ...issued('access_token'), token_type: 'N_A' }, ...unexpected('token_type')],
  [{ ...bearer, token_type: 'DPoP' }, 'its token is of the type dpop, which needs a proof with each request', proof],
  [{ ...bearer, expires_in: 0 }, ...unexpected('expires_in')],
  [{ ...bearer, expires_in: -1 }, ...unexpected('expires_in')],
  [{ ...bearer, expires_in: 'soon' }, ...unexpected('expires_in')],
  [{ ...bearer, expires_in: 1e15 }, ...unexpected('expires_in')],
  [bearer, without('jwt'), asked, { type: type('jwt') }],
  [issued('access_token'), `it issued ${type('access_token')}, not ${type('jwt')}`, asked, { type: type('jwt') }],
  [
    { ...bearer, issued_token_type: 'a canary' },
    `it issued a token of another type, not ${type('jwt')}`,
    asked,
    { type: type('jwt') },
  ],
  [issued('refresh_token'), `it issued ${type('refresh_token')}, which no gateway takes`, usable],
  [issued('saml2'), `it issued ${type('saml2')}, which no gateway takes`, usable],
  [
    bearer,
    without('id-jag'),
    'have as.example issue ID-JAGs, or set exchange to another form',
    { type: type('id-jag'), use: 'assertion' },
  ],
])('%j is refused: %s', async (answer, problem, hint, expected = {}) => {
  expect(await exchange(answer, expected)).toEqual(['unavailable', problem, hint])
})
