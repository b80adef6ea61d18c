import { describe, expect, test } from 'vitest'
import { parseVerifierRefusal } from '../../../../src/client/doctor/verifier/parse-verifier-refusal.ts'
import { type RefusalReason, refusalReasons } from '../../../../src/contract/refusal-reasons.ts'
import { toRefusedAnswer } from '../../../../src/verify/server/gateway-answer.ts'
import { TokenRefusal } from '../../../../src/verify/verdict.ts'

const reasons = Object.keys(refusalReasons) as RefusalReason[] // its own keys
const detail = 'no rule accepts its claims: groups (no accepted value), "x"'

/** Returns an answer of the verifier as it comes through a gateway that changes it. */
function answer(reason: RefusalReason, change: (headers: Headers, body: string) => string = (_headers, body) => body) {
  const { status, headers: pairs, body } = toRefusedAnswer(new TokenRefusal(reason, { detail }), 'req_1')
  const headers = new Headers()
  for (let at = 0; at < pairs.length; at += 2) headers.set(pairs[at]!, pairs[at + 1]!)
  return { status, text: change(headers, body), isMessage: false, headers }
}

const without = (headers: Headers, ...names: string[]) => {
  for (const name of names) headers.delete(name)
}

describe.each(reasons)('the reason %s is read', (reason) => {
  test('from an answer of the verifier itself', () => {
    expect(parseVerifierRefusal(answer(reason))).toEqual({ reason, detail })
  })
  test('from a gateway that passes on the body alone', () => {
    const changed = answer(reason, (headers, body) => {
      without(headers, 'gatepass-refusal', 'gatepass-refusal-detail', 'www-authenticate')
      return body
    })
    expect(parseVerifierRefusal(changed)).toEqual({ reason, detail })
  })
  test('from a gateway that passes on the headers alone', () => {
    expect(parseVerifierRefusal(answer(reason, () => '<html>'))).toEqual({ reason, detail })
  })
  test('from a gateway that passes on the challenge with a body of its own', () => {
    const changed = answer(reason, (headers) => {
      without(headers, 'gatepass-refusal-detail')
      return JSON.stringify({ type: 'error', error: { type: 'authentication_error', message: 'x', reason } })
    })
    const { status } = refusalReasons[reason]
    // Where there is no policy, nothing is challenged. Quotes would end the text of a challenge.
    const isTold = !['no-token', 'no-tenant'].includes(reason) && (status === 401 || status === 403)
    const told = isTold ? { detail: detail.replaceAll('"', "'") } : {}
    expect(parseVerifierRefusal(changed)).toEqual({ reason, ...told })
  })
  test('from an answer with another status', () => {
    expect(parseVerifierRefusal({ ...answer(reason), status: 500 })?.reason).toBe(reason)
  })
})

test.each<[what: string, status: number, headers: Record<string, string>, text: string]>([
  ['a good answer', 200, { 'gatepass-refusal': 'audience' }, ''],
  ['a word that is not a reason', 401, { 'gatepass-refusal': 'canary' }, '{"error":{"reason":"toString"}}'],
  ['a reason of another kind', 401, {}, '{"error":{"reason":["audience"]}}'],
  ['an error that is a string', 401, {}, '{"error":"audience"}'],
  ['a page', 403, {}, '<html>audience</html>'],
])('%s has no reason', (_what, status, headers, text) => {
  expect(parseVerifierRefusal({ status, text, isMessage: false, headers: new Headers(headers) })).toBeUndefined()
})

test('a detail stays on one line, and is bounded', () => {
  const text = JSON.stringify({ error: { reason: 'audience', detail: `a\u001b[31m\nb${'c'.repeat(600)}` } })
  const found = parseVerifierRefusal({ status: 401, text, isMessage: false, headers: new Headers() })
  expect(found).toEqual({ reason: 'audience', detail: `a\\u001b[31m b${'c'.repeat(487)}…` })
})
