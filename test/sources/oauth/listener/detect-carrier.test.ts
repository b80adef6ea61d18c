import { expect, test } from 'vitest'
import { detectCarrier, isAnswer } from '../../../../src/sources/oauth/listener/open-listener.ts'

const hosts = ['127.0.0.1:4000', 'localhost:4000']
const query = { path: '/oauth/callback', hosts, responseMode: 'query' } as const
const form = { ...query, responseMode: 'form_post' } as const
const get = { method: 'GET', target: '/oauth/callback?code=c&state=S-1', host: '127.0.0.1:4000' }
const post = { ...get, method: 'POST', target: '/oauth/callback' }

test.each<[what: string, ...call: Parameters<typeof detectCarrier>, carrier: 'query' | 'form' | undefined]>([
  ['a visit', get, query, 'query'],
  ['a visit of the other host', { ...get, host: 'LocalHost:4000' }, query, 'query'],
  ['a visit without a query', { ...get, target: '/oauth/callback' }, query, 'query'],
  ['a form', post, form, 'form'],
  ['a visit where a form is expected, for errors', get, form, 'query'],
  ['a form where a visit is expected', post, query, undefined],
  ['a form with a query', { ...post, target: '/oauth/callback?code=c&state=S-1' }, form, undefined],
  ['another path', { ...get, target: '/oauth/callback/?code=c&state=S-1' }, query, undefined],
  ['the path in another case', { ...get, target: '/OAuth/callback?code=c&state=S-1' }, query, undefined],
  ['an encoded path', { ...get, target: '/oauth%2Fcallback?code=c&state=S-1' }, query, undefined],
  ['the root', { ...get, target: '/?code=c&state=S-1' }, query, undefined],
  ['a whole URL', { ...get, target: 'http://127.0.0.1:4000/oauth/callback?code=c&state=S-1' }, query, undefined],
  ['a preflight', { ...get, method: 'OPTIONS' }, query, undefined],
  ['a head', { ...get, method: 'HEAD' }, query, undefined],
  ['another method', { ...post, method: 'PUT' }, form, undefined],
  ['a name that was led here', { ...get, host: 'evil.example:4000' }, query, undefined],
  ['a form to a name that was led here', { ...post, host: 'evil.example:4000' }, form, undefined],
  ['another port', { ...get, host: '127.0.0.1:4001' }, query, undefined],
  ['no port', { ...get, host: '127.0.0.1' }, query, undefined],
  ['no host', { ...get, host: undefined }, query, undefined],
])('%s is a callback, or none', (_, request, place, carrier) => {
  expect(detectCarrier(request, place)).toBe(carrier)
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
])('%s is an answer, or none: %s', (_, parameters, expected) => {
  expect(isAnswer(new URLSearchParams(parameters), 'S-1')).toBe(expected)
})

test('nothing is an answer before the state is known', () => {
  expect(isAnswer(new URLSearchParams('code=c&state='), '')).toBe(false)
})
