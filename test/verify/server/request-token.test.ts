import { describe, expect, test } from 'vitest'
import { parseToken } from '../../../src/verify/server/request-token.ts'

function find(headers: readonly string[], names: readonly string[] = ['authorization']) {
  const found = parseToken(headers, names)
  return typeof found === 'string' ? { token: found } : found.reason
}

describe('authorization', () => {
  test.each<[what: string, headers: string[], found: ReturnType<typeof find>]>([
    ['a bearer token', ['Host', 'a', 'Authorization', 'Bearer t'], { token: 't' }],
    ['the scheme in any case, with spaces around the token', ['authorization', 'bEARER   t '], { token: 't' }],
    ['another header', ['X-Api-Key', 't'], 'no-token'],
    ['another scheme', ['authorization', 'Basic dDp0'], 'no-token'],
    ['no scheme', ['authorization', 't'], 'no-token'],
    ['an empty one', ['authorization', 'Bearer '], 'no-token'],
    ['the same line twice', ['authorization', 'Bearer t', 'Authorization', 'Bearer t'], 'several-tokens'],
    ['two lines', ['authorization', 'Basic x', 'authorization', 'Bearer t'], 'several-tokens'],
    ['lines that were joined', ['authorization', 'Bearer t, Bearer u'], 'several-tokens'],
    ['two words', ['authorization', 'Bearer t u'], 'malformed'],
    ['a control character', ['authorization', 'Bearer t\tu'], 'malformed'],
    ['a character beyond ASCII', ['authorization', 'Bearer té'], 'malformed'],
    ['a name that a CGI script would take for it', ['Authorization_', 'Bearer t'], 'no-token'],
    ['a value that looks like a name', ['x', 'authorization', 'Bearer t', 'y'], 'no-token'],
    ['too many lines', Array(201).fill(['x', 'y']).flat(), 'malformed'],
  ])('reads %s', (_, headers, found) => {
    expect(find(headers)).toEqual(found)
  })
})

describe('other headers', () => {
  const names = ['authorization', 'x-api-key']

  test.each<[what: string, headers: string[], found: ReturnType<typeof find>]>([
    ['a token alone', ['X-Api-Key', 't'], { token: 't' }],
    ['a token behind a scheme', ['x-api-key', 'Bearer t'], { token: 't' }],
    ['the same token in both', ['x-api-key', 't', 'authorization', 'Bearer t'], { token: 't' }],
    ['different ones', ['x-api-key', 't', 'authorization', 'Bearer u'], 'several-tokens'],
    ['one that is empty', ['x-api-key', '', 'authorization', 'Bearer t'], { token: 't' }],
    ['one twice', ['x-api-key', 't', 'authorization', 'Bearer t', 'X-API-KEY', 't'], 'several-tokens'],
  ])('read %s', (_, headers, found) => {
    expect(find(headers, names)).toEqual(found)
  })

  test('proxy-authorization has a scheme like authorization', () => {
    expect(find(['proxy-authorization', 't'], ['proxy-authorization'])).toBe('no-token')
  })
})
