import { expect, test } from 'vitest'
import { fetchMetadata } from '../../../../src/sources/oauth/oidc/fetch-provider-metadata.ts'
import type { OidcSettings } from '../../../../src/sources/oauth/oidc/oidc-settings.ts'
import type { Lies } from '../../../stand-ins/lying-provider/lies.ts'
import { failureOf, startLiarBench } from './liar-bench.ts'

const correct = 'correct issuer, or set the authorization URL and the token URL in its place'
const wellKnown = '/.well-known/openid-configuration'

test.each<[lies: Lies, kind: string, message: string, hint: string]>([
  [
    { members: { discovery: { issuer: 'ISSUER/' } } },
    'not-configured',
    'HOST is the issuer ISSUER/, not ISSUER',
    'set issuer to ISSUER/, to the letter: the slash at the end counts',
  ],
  [
    { members: { discovery: { issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0' } } },
    'not-configured',
    'HOST is the issuer https://login.microsoftonline.com/{tenantid}/v2.0, not ISSUER',
    'set issuer to that of your tenant: https://login.microsoftonline.com/TENANT-ID/v2.0, with its ID in place of TENANT-ID; common, organizations and consumers stand for more than one',
  ],
  [
    { members: { discovery: { issuer: 'https://else.example' } } },
    'not-configured',
    'HOST is the issuer https://else.example, not ISSUER',
    "set issuer to https://else.example if that is your organization's; otherwise report this to whoever runs the provider",
  ],
  [
    { members: { discovery: { issuer: undefined } } },
    'not-configured',
    'HOST does not say which issuer it is',
    'correct issuer, or report this to whoever runs the provider',
  ],
  [
    { answers: { discovery: { status: 404, body: '' } } },
    'not-configured',
    `HOST has no description of an OpenID provider at ISSUER${wellKnown} (HTTP 404)`,
    correct,
  ],
  [
    { answers: { discovery: { body: 'no JSON' } } },
    'not-configured',
    `HOST has no description of an OpenID provider at ISSUER${wellKnown} (HTTP 200)`,
    correct,
  ],
  [
    { answers: { discovery: 'html' } },
    'unavailable',
    'HOST answered with a web page (HTTP 200)',
    'find out what answers instead of the identity provider: a sign-in page of the network, or a proxy',
  ],
  [
    { answers: { discovery: 'elsewhere' } },
    'unavailable',
    'HOST redirects the request for its description to ELSEWHERE/, which is not followed (HTTP 307)',
    'find out what answers instead of the identity provider: a sign-in page of the network, or a proxy',
  ],
])('an issuer that cannot be used is explained, %j', async (lies, kind, message, hint) => {
  const { host, provider, connect } = await startLiarBench(lies)
  const failure = JSON.stringify(await failureOf(connect()))
  const named = failure
    .replaceAll(provider.elsewhere.url, 'ELSEWHERE')
    .replaceAll(provider.issuer, 'ISSUER')
    .replaceAll(host, 'HOST')
  expect({ named: JSON.parse(named), requests: provider.elsewhere.requests }).toEqual({
    named: [kind, message, hint],
    requests: [],
  })
})

const redirect = (location: string) => ({ status: 302, headers: { location }, body: '' })

test.each([
  ['a path', redirect(`${wellKnown}/`)],
  ['an address', redirect(`ISSUER${wellKnown}?v=2`)],
])('a redirect within the origin of the issuer is followed, to %s', async (_, answer) => {
  const { provider, connect } = await startLiarBench({ answers: { discovery: [answer, answer, answer, 'honest'] } })
  expect((await connect()).metadata.issuer).toBe(provider.issuer)
})

test('a document behind a redirect has to name the issuer to the letter', async () => {
  const answer = redirect(`${wellKnown}/`)
  const other = { answers: { discovery: [answer, 'honest' as const] }, members: { discovery: { issuer: 'ISSUER/' } } }
  const { provider, host, connect } = await startLiarBench(other)
  expect(await failureOf(connect())).toEqual([
    'not-configured',
    `${host} is the issuer ${provider.issuer}/, not ${provider.issuer}`,
    `set issuer to ${provider.issuer}/, to the letter: the slash at the end counts`,
  ])
})

test.each([`${wellKnown}/`, wellKnown])('a circle of redirects is refused: %s', async (target) => {
  const circle = await startLiarBench({ answers: { discovery: redirect(target) } })
  expect(await failureOf(circle.connect())).toEqual([
    'unavailable',
    `${circle.host} redirects the request for its description to ${circle.provider.issuer}${target}, which is not followed (HTTP 302)`,
    'find out what answers instead of the identity provider: a sign-in page of the network, or a proxy',
  ])
})

test('a description that lies at another issuer is refused with the name of that issuer', async () => {
  const issuer = 'https://login.example/realms/a'
  const { host, connect } = await startLiarBench({ answers: { discovery: redirect(`${issuer}${wellKnown}?x=secret`) } })
  expect(await failureOf(connect())).toEqual([
    'not-configured',
    `${host} redirects the request for its description to ${issuer}${wellKnown}, which is not followed (HTTP 302)`,
    `set issuer to ${issuer} if that is your organization's; otherwise report this to whoever runs ${host}`,
  ])
})

test.each<[settings: Partial<OidcSettings>, message: string, hint: string]>([
  [
    { issuer: 'http://login.example.com' },
    'login.example.com would be asked over plain http, which anybody on the network can read',
    'write https:// in front of login.example.com',
  ],
  [
    { issuer: 'login.example.com' },
    'an address of the identity provider is not a URL',
    'write issuer, or the authorization and token URLs, in full, with https://',
  ],
  [
    { issuer: undefined, authorizationUrl: 'https://login.example.com/a', tokenUrl: 'http://login.example.com/t' },
    'login.example.com would be asked over plain http, which anybody on the network can read',
    'write https:// in front of login.example.com',
  ],
])('nothing is asked at an address that is not safe, %j', async (settings, message, hint) => {
  const { connect } = await startLiarBench({}, settings)
  expect(await failureOf(connect())).toEqual(['not-configured', message, hint])
})

test('an issuer that is the address of its document is explained', async () => {
  const { settings, parts } = await startLiarBench()
  // The lying provider knows no such path, and answers 501 as the other stand-ins do.
  const fetch = async () => new Response('', { status: 404 })
  const [, , hint] = (await failureOf(
    fetchMetadata({ ...settings, issuer: settings.issuer + wellKnown }, { ...parts, fetch }),
  )) as string[]
  expect(hint).toBe(`write issuer without ${wellKnown}`)
})
