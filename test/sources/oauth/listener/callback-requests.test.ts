import { once } from 'node:events'
import { type OutgoingHttpHeaders, request } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { type ListenerOptions, listReferrers } from '../../../../src/sources/oauth/listener/callback.ts'
import { openListener } from '../../../../src/sources/oauth/listener/open-listener.ts'

const code = 'code=c&state=S-1'
const get = { method: 'GET', target: `/oauth/callback?${code}`, host: '127.0.0.1:PORT' as string | undefined, body: '' }
const post = { ...get, method: 'POST', target: '/oauth/callback', body: code }

/** Sends a request to a listener that waits for the state `S-1`; gives the status, and the host that may not send the answer. */
async function send(sent: typeof get, options: Partial<ListenerOptions> = {}, own: OutgoingHttpHeaders = {}) {
  const hosts = ['127.0.0.1', 'localhost'] as const
  const listener = await openListener({ hosts, path: '/oauth/callback', ...options }, { subject: 'Example' })
  onTestFinished(() => listener.close())
  const finish = () => listener.finish({})
  listener.waitForCallback('S-1').then(finish, finish)
  const { port } = new URL(listener.redirectUri)
  const [host, path] = [sent.host, sent.target].map((text) => text?.replace('PORT', port))
  const headers = { ...own, ...(host && { host }), 'content-type': 'application/x-www-form-urlencoded' }
  const call = request({ host: '127.0.0.1', port, method: sent.method, path, headers, setHost: false })
  const [response] = await once(call.end(sent.body), 'response')
  return { status: Number(response.statusCode), foreignHost: listener.findForeignHost() }
}

test.each<[what: string, sent: typeof get, mode: 'query' | 'form_post', isAnswered: boolean]>([
  ['a visit', get, 'query', true],
  ['a visit of the other host', { ...get, host: 'LocalHost:PORT' }, 'query', true],
  ['a form', post, 'form_post', true],
  [
    'a visit with an error where a form is expected',
    { ...get, target: '/oauth/callback?error=e&state=S-1' },
    'form_post',
    true,
  ],
  ['a visit with a code where a form is expected', get, 'form_post', false],
  ['a form where a visit is expected', post, 'query', false],
  ['a form with a query', { ...post, target: get.target }, 'form_post', false],
  ['another path', { ...get, target: `/oauth/callback/?${code}` }, 'query', false],
  ['the path in another case', { ...get, target: `/OAuth/callback?${code}` }, 'query', false],
  ['an encoded path', { ...get, target: `/oauth%2Fcallback?${code}` }, 'query', false],
  ['the root', { ...get, target: `/?${code}` }, 'query', false],
  ['a whole URL', { ...get, target: `http://127.0.0.1:PORT/oauth/callback?${code}` }, 'query', false],
  ['a preflight', { ...get, method: 'OPTIONS' }, 'query', false],
  ['a head', { ...get, method: 'HEAD' }, 'query', false],
  ['another method', { ...post, method: 'PUT' }, 'form_post', false],
  ['a name that was led here', { ...get, host: 'evil.example:PORT' }, 'query', false],
  ['a form to a name that was led here', { ...post, host: 'evil.example:PORT' }, 'form_post', false],
  ['another port', { ...get, host: '127.0.0.1:1' }, 'query', false],
  ['no port', { ...get, host: '127.0.0.1' }, 'query', false],
  ['no host', { ...get, host: undefined }, 'query', false],
])('%s is a callback, or none', async (_, sent, responseMode, isAnswered) => {
  expect((await send(sent, { responseMode })).status === 200).toBe(isAnswered)
})

test.each<[what: string, parameters: string, isAnswer: boolean]>([
  ['a code', 'code=c&state=S-1', true],
  ['an error', 'error=access_denied&state=S-1', true],
  ['more parameters', 'iss=https%3A%2F%2Fa.example&state=S-1&code=c', true],
  ['an error without state', 'error=access_denied', false],
  ['an error with another state', 'error=access_denied&state=S-2', false],
  ['a code without state', 'code=c', false],
  ['an empty state', 'code=c&state=', false],
  ['the beginning of the state', 'code=c&state=S-', false],
  ['the state in another case', 'code=c&state=s-1', false],
  ['the state twice', 'code=c&state=S-1&state=S-1', false],
  ['two codes', 'code=c&code=d&state=S-1', false],
  ['a code and an error', 'code=c&error=e&state=S-1', false],
  ['neither', 'state=S-1', false],
  ['nothing', '', false],
])('%s is an answer, or none: %s', async (_, parameters, isAnswer) => {
  const { status } = await send({ ...get, target: `/oauth/callback?${parameters}` })
  expect(status).toBe(isAnswer ? 200 : 404)
})

const referrers = listReferrers(
  ['https://login.example', 'https://Auth.Example.:8443/authorize', undefined, 'no URL'],
  ['Portal.Example', ''],
)

test('the referrers are the hosts of the provider and those that are listed, each once', () => {
  expect(referrers).toEqual(['login.example', 'auth.example', 'portal.example'])
  expect(listReferrers(['https://a.example/x', 'https://a.example/y'], ['a.example.'])).toEqual(['a.example'])
})

const tab = { status: 200, foreignHost: undefined }
const part = { status: 404, foreignHost: undefined }
const prefetch = { status: 503, foreignHost: undefined }
const foreign = (foreignHost: string) => ({ status: 404, foreignHost })
const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }

test.each<[what: string, headers: OutgoingHttpHeaders, answer: typeof tab | ReturnType<typeof foreign>]>([
  ['a program that is no browser', {}, tab],
  ['an address that was typed', { ...navigation, 'sec-fetch-site': 'none' }, tab],
  ['the provider', { ...navigation, 'sec-fetch-site': 'cross-site', referer: 'https://login.example/' }, tab],
  ['its authorization endpoint, with a port', { ...navigation, referer: 'https://auth.example:8443/a?b' }, tab],
  ['a host that is listed', { ...navigation, referer: 'https://portal.example/' }, tab],
  ['its name in full', { ...navigation, referer: 'https://portal.example./' }, tab],
  ['a form of the provider', { ...navigation, origin: 'https://login.example' }, tab],
  ['a form of an https page', { ...navigation, origin: 'null' }, tab],
  ['another host', { ...navigation, referer: 'https://evil.example/' }, foreign('evil.example')],
  ['a host below the provider', { referer: 'https://a.login.example/' }, foreign('a.login.example')],
  ['a host that contains the provider', { referer: 'https://login.example.evil/' }, foreign('login.example.evil')],
  ['a user that looks like it', { referer: 'https://login.example@evil.example/' }, foreign('evil.example')],
  ['no URL', { referer: 'login.example' }, foreign('')],
  ['an empty one', { referer: '' }, foreign('')],
  ['a form of another page', { ...navigation, origin: 'http://127.0.0.1:4001' }, foreign('127.0.0.1')],
  ['two that differ', { origin: 'https://evil.example', referer: 'https://login.example/' }, foreign('evil.example')],
  ['a request of a script', { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }, part],
  ['one without CORS', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'empty' }, part],
  ['an image', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }, part],
  ['a frame', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }, part],
  ['an image of the provider', { 'sec-fetch-dest': 'image', referer: 'https://login.example/' }, part],
  ['a page that Chromium fetches ahead', { ...navigation, 'sec-purpose': 'prefetch;prerender' }, prefetch],
  ['one that older ones fetch', { purpose: 'prefetch' }, prefetch],
  ['one that Safari previews', { 'x-purpose': 'preview' }, prefetch],
  ['one that older Firefoxes fetch', { 'x-moz': 'prefetch' }, prefetch],
])('the sender of a request is found from its headers: %s', async (_, headers, answer) => {
  expect(await send(get, { referrers }, headers)).toEqual(answer)
})

test('without referrers only a page that is fetched ahead is distinguished', async () => {
  expect(await send(get, {}, { referer: 'https://evil.example/', 'sec-fetch-mode': 'cors' })).toEqual(tab)
  expect(await send(get, {}, { 'sec-purpose': 'prefetch' })).toEqual(prefetch)
})
