import { expect, test } from 'vitest'
import { type CallbackRequest, matchCallback } from '../../../../src/sources/oauth/listener/match-callback.ts'

const expected = { path: '/oauth/callback', hosts: ['127.0.0.1:4000', 'localhost:4000'], state: 'S-1' }
const good: CallbackRequest = { method: 'GET', target: '/oauth/callback?code=c&state=S-1', host: '127.0.0.1:4000' }

test.each<[what: string, change: Partial<CallbackRequest>]>([
  ['comes back with a code', {}],
  ['comes back with an error', { target: '/oauth/callback?error=access_denied&state=S-1' }],
  ['comes back to the other host', { host: 'LocalHost:4000' }],
  ['has more parameters', { target: '/oauth/callback?iss=https%3A%2F%2Fa.example&state=S-1&code=c' }],
])('a request that %s is the callback', (_, change) => {
  const query = matchCallback({ ...good, ...change }, expected)
  expect(query?.get('state')).toBe('S-1')
})

test.each<[what: string, change: Partial<CallbackRequest>]>([
  ['an error without state', { target: '/oauth/callback?error=access_denied' }],
  ['an error with another state', { target: '/oauth/callback?error=access_denied&state=S-2' }],
  ['a code without state', { target: '/oauth/callback?code=c' }],
  ['an empty state', { target: '/oauth/callback?code=c&state=' }],
  ['the beginning of the state', { target: '/oauth/callback?code=c&state=S-' }],
  ['the state in another case', { target: '/oauth/callback?code=c&state=s-1' }],
  ['the state twice', { target: '/oauth/callback?code=c&state=S-1&state=S-1' }],
  ['two codes', { target: '/oauth/callback?code=c&code=d&state=S-1' }],
  ['a code and an error', { target: '/oauth/callback?code=c&error=e&state=S-1' }],
  ['neither', { target: '/oauth/callback?state=S-1' }],
  ['no query', { target: '/oauth/callback' }],
  ['another path', { target: '/oauth/callback/?code=c&state=S-1' }],
  ['the path in another case', { target: '/OAuth/callback?code=c&state=S-1' }],
  ['an encoded path', { target: '/oauth%2Fcallback?code=c&state=S-1' }],
  ['the root', { target: '/?code=c&state=S-1' }],
  ['a whole URL', { target: 'http://127.0.0.1:4000/oauth/callback?code=c&state=S-1' }],
  ['a post', { method: 'POST' }],
  ['a preflight', { method: 'OPTIONS' }],
  ['a head', { method: 'HEAD' }],
  ['a name that was led here', { host: 'evil.example:4000' }],
  ['another port', { host: '127.0.0.1:4001' }],
  ['no port', { host: '127.0.0.1' }],
  ['no host', { host: undefined }],
])('%s is not', (_, change) => {
  expect(matchCallback({ ...good, ...change }, expected)).toBeUndefined()
})

test('before the state is known nothing is', () => {
  expect(
    matchCallback({ ...good, target: '/oauth/callback?code=c&state=' }, { ...expected, state: '' }),
  ).toBeUndefined()
})
