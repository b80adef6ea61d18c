import { describe, expect, test } from 'vitest'
import { ApiError, type ApiProblem } from '../../src/api/api-error.ts'
import { parseProblem } from '../../src/api/parse-problem.ts'

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
      'the key is not scoped to a workspace',
    ],
    [
      '400 | workspace header invalid',
      { message: 'vendor-workspace-id is no ID', workspace: 'named' },
      'send the ID of a workspace',
    ],
    [
      '404 | workspace unknown or no access',
      { status: 404, type: 'not_found_error', workspace: 'named' },
      'the workspace exists',
    ],
    ['401 | key is expired', { status: 401, type: 'authentication_error' }, 'an expired key cannot be reactivated'],
    ['400 | anything else', {}, 'correct the request as the message says'],
    ['404 | without a workspace', { status: 404, type: 'not_found_error' }, 'check the path and the IDs in it'],
    ['403', { status: 403, type: 'permission_error' }, 'an attestation token only sends messages'],
    ['413', { status: 413 }, 'send less in one request'],
    ['429', { status: 429, type: 'rate_limit_error' }, 'wait, then send it again'],
    ['500', { status: 500, type: 'api_error' }, 'send it again later'],
    ['529', { status: 529, type: 'overloaded_error' }, 'send it again later'],
  ])('%s has its own hint', (_, parts, hint) => {
    expect(new ApiError(problem(parts)).hint).toContain(hint)
  })

  test('the error has type, status and request id, and is a failure with an exit status', () => {
    expect(new ApiError(problem({ status: 529, type: 'overloaded_error' }))).toMatchObject({
      name: 'ApiError',
      kind: 'unavailable',
      status: 529,
      type: 'overloaded_error',
      requestId: 'req_1',
      message: 'HTTP 529 overloaded_error: m (request req_1)',
    })
    expect(new ApiError(problem({ type: undefined, requestId: undefined })).message).toBe('HTTP 400: m')
  })
})

describe('Error envelope', () => {
  test.each<[what: string, body: string, said: object]>([
    [
      'the envelope',
      '{"type":"error","error":{"type":"t","message":"m"},"request_id":"r"}',
      { type: 't', message: 'm', requestId: 'r' },
    ],
    [
      'no request_id',
      '{"type":"error","error":{"type":"t","message":"m"}}',
      { type: 't', message: 'm', requestId: undefined },
    ],
    [
      'RFC 6749',
      '{"error":"invalid_grant","error_description":"d"}',
      { type: 'invalid_grant', message: 'd', requestId: undefined },
    ],
    ['RFC 6749 without description', '{"error":"e"}', { type: 'e', message: 'no description', requestId: undefined }],
    [
      'a page',
      '<html>canary</html>',
      { type: undefined, message: 'the answer is not one of the API', requestId: undefined },
    ],
    ['nothing', '', { type: undefined, message: 'the answer is not one of the API', requestId: undefined }],
    ['null', 'null', { type: undefined, message: 'the answer is not one of the API', requestId: undefined }],
    [
      'other types',
      '{"error":{"type":1,"message":[]},"request_id":2}',
      { type: undefined, message: 'the answer is not one of the API', requestId: undefined },
    ],
  ])('%s', (_, body, said) => {
    expect(parseProblem(body)).toEqual(said)
  })
})
