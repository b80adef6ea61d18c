import { expect, test } from 'vitest'
import { requireOutcome, requireSame, toSuccess } from '../../../pkg-scripts/smoke/subject/findings.ts'

const good = { status: 0, stdout: 'token\n', stderr: '', ms: 1 }

test('an outcome that is as required is given back, with a text or with a pattern', () => {
  expect(requireOutcome('a call', good, toSuccess('token\n'))).toBe(good)
  expect(requireOutcome('a call', good, toSuccess(/^tok/))).toBe(good)
})

test.each<[what: string, changed: object, message: string]>([
  [
    'status',
    { status: 5, stdout: '' },
    'a call:\n  status is 5, required is 0\n  stdout is "", required is "token\\n"',
  ],
  ['signal', { status: 'SIGKILL' }, 'a call:\n  status is "SIGKILL", required is 0'],
  ['stderr', { stderr: 'x: \u001b[31mno\n' }, 'a call:\n  stderr is "x: no\\n", required is ""'],
])('another %s is reported beside the required one', (_, changed, message) => {
  const seen = () => requireOutcome('a call', { ...good, ...changed }, toSuccess('token\n'))
  expect(seen).toThrow(new Error(message))
})

test('stderr is reported where only stdout was compared', () => {
  const outcome = { ...good, stdout: '', stderr: 'x: late' }
  const required = { status: 0, stdout: 'token\n', stderr: /^/ }
  expect(() => requireOutcome('a call', outcome, required)).toThrow(
    new Error('a call:\n  stdout is "", required is "token\\n"\n  stderr is "x: late"'),
  )
})

test('another fact is reported beside the required one', () => {
  expect(requireSame('names', ['a'], ['a'])).toBeUndefined()
  expect(() => requireSame('names', ['a'], ['b'])).toThrow(new Error('names: it is ["a"], required is ["b"]'))
})
