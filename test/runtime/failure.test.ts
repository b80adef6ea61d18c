import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exitStatus, HelperError, renderFailure, renderWarning, toHelperError } from '../../src/runtime/failure.ts'
import { codePoint } from '../setup/code-point.ts'

test('each kind of failure has its own exit status, and none is success', () => {
  expect(exitStatus).toEqual({
    usage: 2,
    'not-configured': 3,
    'sign-in-required': 4,
    refused: 5,
    unavailable: 6,
    late: 7,
    bug: 70,
    unwritable: 74,
  })
})

test('a failure is a line with the message and a line with the way out', () => {
  expect(renderFailure('tool', new HelperError('refused', 'it said no', 'ask again'))).toBe(
    'tool: it said no\ntool: hint: ask again\n',
  )
})

test('a warning is one line', () => {
  expect(renderWarning('tool', 'soon')).toBe('tool: warning: soon\n')
})

test('a HelperError passes through with its cause', () => {
  const cause = new Error('below')
  const failure = new HelperError('late', 'm', 'h', { cause })
  expect(toHelperError(failure)).toBe(failure)
  expect({ ...failure, cause: failure.cause }).toEqual({ kind: 'late', hint: 'h', name: 'HelperError', cause })
})

test.each<[thrown: unknown, message: string]>([
  [new TypeError('sk-token'), 'this program has a defect (TypeError)'],
  [new Error('sk-token'), 'this program has a defect (Error)'],
  ['sk-token', 'this program has a defect (string)'],
  [{ token: 'sk-token' }, 'this program has a defect (object)'],
  [undefined, 'this program has a defect (undefined)'],
  [null, 'this program has a defect (object)'],
])('%o, thrown by mistake, is a bug whose text is not shown', (thrown, message) => {
  const failure = toHelperError(thrown)
  expect({ ...failure, message: failure.message, cause: failure.cause }).toEqual({
    name: 'HelperError',
    kind: 'bug',
    message,
    hint: 'report it to whoever gave you the program, with the output of --version and what you did',
    cause: thrown,
  })
})

test.each([
  ['a line feed', 'no\ntool: warning: all is well'],
  ['CR LF', 'no\r\ntool: warning: all is well'],
  ['a carriage return that paints over the line', 'no\rtool: warning: all is well'],
  ['a line separator', 'no\u2028tool: warning: all is well'],
  ['a paragraph separator', 'no\u2029tool: warning: all is well'],
  ['NEL', 'no\u0085tool: warning: all is well'],
  ['a vertical tab', 'no\vtool: warning: all is well'],
])('%s in a message or a hint forges no line', (_, text) => {
  const line = 'no tool: warning: all is well'
  expect(renderFailure('tool', new HelperError('refused', text, text))).toBe(`tool: ${line}\ntool: hint: ${line}\n`)
  expect(renderWarning('tool', text)).toBe(`tool: warning: ${line}\n`)
})

test('an escape sequence reaches no terminal', () => {
  const text = '\x1b[2J\x1b]0;title\x07gone\x9b31m'
  expect(renderWarning('tool', text)).toBe('tool: warning: \\u001b[2J\\u001b]0;title\\u0007gone\\u009b31m\n')
})

test('a failure is two lines and a warning one, of printable characters only, whatever the texts are', () => {
  const control = fc.constantFrom('\n', '\r', '\0', '\x1b', '\x7f', '\x85', '\x9b', '\u2028', '\u2029', '\u202e')
  const text = fc.string({ unit: fc.oneof(control, fc.string({ unit: codePoint, maxLength: 2 })) })
  fc.assert(
    fc.property(text, text, (message, hint) => {
      const lines = renderFailure('tool', new HelperError('refused', message, hint)) + renderWarning('tool', message)
      const begins = ['tool: ', 'tool: hint: ', 'tool: warning: ']
      const found = lines.split(/[\n\r\v\f\x85\u2028\u2029]/)
      expect({
        begins: found.map((line, index) => line.slice(0, begins[index]?.length)),
        unprintable: lines.replaceAll('\n', '').match(/(?![\u200c\u200d])[\p{Cc}\p{Cf}]/gu),
      }).toEqual({ begins: [...begins, ''], unprintable: null })
    }),
  )
})
