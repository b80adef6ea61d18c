import { expect, test } from 'vitest'
import { HelperError } from '../../../src/runtime/failure.ts'
import { parseHeaderLines } from '../../../src/sources/identity/prepare-url.ts'

test('headers are lines, and empty lines are skipped', () => {
  const headers = parseHeaderLines('Authorization: Bearer a:b\r\n\r\nX-Empty:\n  X-Who :  me  \n', 'headers.txt')
  expect(headers.map(([name, value]) => [name, value.reveal()])).toEqual([
    ['Authorization', 'Bearer a:b'],
    ['X-Empty', ''],
    ['X-Who', 'me'],
  ])
})

test.each(['canary', ': canary', 'X Y: canary', 'X: canary\x00', 'X: canaryé€'])(
  'the line %j is not a header, and is named by its number',
  (line) => {
    expect(() => parseHeaderLines(`A: b\n${line}`, 'headers.txt')).toThrow(
      new HelperError(
        'not-configured',
        'line 2 of headers.txt is not a header',
        "write each header on a line of its own, as 'Name: value'",
      ),
    )
  },
)
