import { expect, test, vi } from 'vitest'
import { parseRunOutput } from '../../../../src/client/check/runs/parse-run-output.ts'

const printedAt = Date.UTC(2026, 0, 15, 12)
const at = (text: string) => Date.parse(text)

function read(stdout: string) {
  const { facts } = parseRunOutput(Buffer.from(stdout), {}, printedAt, { format: 'json' })
  return facts.ok ? { statedEnd: facts.statedEnd, dropped: facts.droppedHeaders, fault: facts.fault } : facts.reason
}

test.each<[stated: string, end: { key: string; at: number } | undefined]>([
  ['"expires_in": 900', { key: 'expires_in', at: printedAt + 900_000 }],
  ['"expires_in": "900"', { key: 'expires_in', at: printedAt + 900_000 }],
  ['"expires_at": 1768482000', { key: 'expires_at', at: 1_768_482_000_000 }],
  ['"expires_at": 1768482000123', { key: 'expires_at', at: 1_768_482_000_123 }],
  ['"expiresAt": "2026-01-15T13:00:00Z"', { key: 'expiresAt', at: at('2026-01-15T13:00:00Z') }],
  ['"Expiration": "2026-01-15T13:00:00Z"', { key: 'Expiration', at: at('2026-01-15T13:00:00Z') }],
  ['"expiration": "soon"', undefined],
  ['"expires_at": 3600', undefined],
  ['"expires_in": null', undefined],
  ['"expires": 900', undefined],
])('an output with %s says when its token ends', (stated, end) => {
  const statedEnd = end && { source: `${end.key} in its output`, at: end.at }
  expect(read(`Hello\n{"token": "sk-1", ${stated}}`)).toEqual({ statedEnd, dropped: [], fault: undefined })
})

test('a header whose value is not a string is named, if its name can be sent', () => {
  expect(read('{"token": "sk-1", "headers": {"X-A": 7, "X-B": "b", "X C": null}}')).toEqual({
    statedEnd: undefined,
    dropped: ['X-A', 'one that cannot be sent'],
    fault: undefined,
  })
})

test.each<[stdout: string, seen: ReturnType<typeof read>]>([
  ['sk-1', { statedEnd: undefined, dropped: [], fault: undefined }],
  ['\uFEFF{"token": "null", "headers": null}', { statedEnd: undefined, dropped: [], fault: 'no-value' }],
  ['one\ntwo', 'unrecognized'],
])('%j has neither an end nor dropped headers', (stdout, seen) => {
  expect(read(stdout)).toEqual(seen)
})

test('only the first hundred lines that could end the document are tried', () => {
  const output = Buffer.from(`{\n${'}\n'.repeat(2000)}`)
  const parse = vi.spyOn(JSON, 'parse')
  const { facts } = parseRunOutput(output, {}, printedAt, { format: 'json' })
  const parsed = parse.mock.calls.length
  parse.mockRestore()
  expect({ facts, parsed }).toEqual({
    facts: {
      bytes: 4002,
      message: 'stdout is neither one line nor one JSON object',
      ok: false,
      reason: 'unrecognized',
    },
    parsed: 101,
  }) // the whole, and each of the hundred
})

test.each<[token: string, fault: string | undefined]>([
  ['null', 'no-value'],
  ['undefined', 'no-value'],
  ['None', 'no-value'],
  ['[object Object]', 'no-value'],
  ['"sk-vendor-1"', 'json'],
  ['["sk-vendor-1"]', 'json'],
  ['42', 'json'],
  ['-1.5', 'json'],
  ['<!doctype html>', 'markup'],
  ['<html><body>Sign in</body></html>', 'markup'],
  ['Bearer sk-vendor-1', 'scheme'],
  ['bearer', 'scheme'],
  ['Authorization: Bearer sk-vendor-1', 'scheme'],
  ['Error: not signed in', 'sentence'],
  ['sk\u2013vendor-1', 'unsendable'],
  ['sk-vendor-1\u0007', 'unsendable'],
  ['sk-vendor-1', undefined],
  ['nullable', undefined],
  ['bearer-of-news', undefined],
  ['0a1b2c3d4e5f', undefined],
  ['eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln', undefined],
])('the token %j has the fault: %s', (token, fault) => {
  expect(read(JSON.stringify({ token }))).toEqual({ statedEnd: undefined, dropped: [], fault })
})
