import { expect, test } from 'vitest'
import { parseEnd } from '../../../src/sources/command/token-documents.ts'

const at = (text: string) => ({ atMs: Date.parse(text) })

test.each<[value: unknown, end: unknown]>([
  [4_102_444_800, at('2100-01-01T00:00:00Z')],
  [4_102_444_800_000, at('2100-01-01T00:00:00Z')],
  ['4102444800', at('2100-01-01T00:00:00Z')],
  [3599, { inSec: 3599 }],
  ['3599.5', { inSec: 3599.5 }],
  [0, { inSec: 0 }],
  ['2100-01-01T00:00:00Z', at('2100-01-01T00:00:00Z')],
  ['2100-01-01t01:00:00.123456789+01:00', at('2100-01-01T00:00:00.123Z')],
  ['2100-01-01 01:00:00+0100', at('2100-01-01T00:00:00Z')],
  ['0001-01-01T00:00:00Z', 'none'],
  ['', 'none'],
  [null, 'none'],
  [undefined, 'none'],
  ['2100-01-01 09:00:00.000000', 'unclear'],
  ['2100-01-01T00:00:00', 'unclear'],
  ['2100-13-01T00:00:00Z', 'unclear'],
  ['soon', 'unclear'],
  [-1, 'unclear'],
  [1e17, 'unclear'],
  [Number.NaN, 'unclear'],
  [true, 'unclear'],
  [{}, 'unclear'],
])('%j is the end %j', (value, end) => {
  expect(parseEnd(value)).toEqual(end)
})
