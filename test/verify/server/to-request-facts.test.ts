import { expect, test } from 'vitest'
import { type RequestSource, toRequestFacts } from '../../../src/verify/server/to-request-facts.ts'

const forwarded = [
  ...['X-Forwarded-Host', 'gateway.example', 'X-Forwarded-Method', 'POST', 'X-Forwarded-Uri', '/v1/messages?x=1'],
  ...['X-Model', 'small'],
]
const question = { method: 'GET', url: '/asked', rawHeaders: ['Host', 'verifier.example:8790', ...forwarded] }
const nothing = { host: undefined, method: undefined, path: undefined, model: undefined }

test.each<[source: RequestSource, facts: object]>([
  [{ from: 'nothing' }, nothing],
  [
    { from: 'nothing', modelHeader: 'x-model' },
    { ...nothing, model: 'small' },
  ],
  [{ from: 'x-forwarded' }, { ...nothing, host: 'gateway.example', method: 'POST', path: '/v1/messages' }],
  [{ from: 'request-line' }, { ...nothing, host: 'verifier.example', method: 'GET', path: '/asked' }],
  [
    { from: 'x-forwarded', modelHeader: 'x-other' },
    { host: 'gateway.example', method: 'POST', path: '/v1/messages' },
  ],
])('the facts of a request are found from the source %j', (source, facts) => {
  expect(toRequestFacts(question, source)).toEqual(facts)
})

test('a fact that is there twice is unknown, in whatever case', () => {
  const rawHeaders = [...question.rawHeaders, 'x-forwarded-URI', '/v1/other', 'X-MODEL', 'small', 'host', 'a.example']
  expect(toRequestFacts({ ...question, rawHeaders }, { from: 'x-forwarded', modelHeader: 'x-model' })).toEqual({
    ...nothing,
    host: 'gateway.example',
    method: 'POST',
  })
  expect(toRequestFacts({ ...question, rawHeaders }, { from: 'request-line' }).host).toBe(undefined)
})
