import { expect, test } from 'vitest'
import { findByPointer, isJsonPointer } from '../../../src/sources/command/json-pointer.ts'

/** The document and the pointers of RFC 6901, section 5. */
const document = {
  foo: ['bar', 'baz'],
  '': 0,
  'a/b': 1,
  'c%d': 2,
  'e^f': 3,
  'g|h': 4,
  'i\\j': 5,
  'k"l': 6,
  ' ': 7,
  'm~n': 8,
}

test.each<[pointer: string, value: unknown]>([
  ['', document],
  ['/foo', document.foo],
  ['/foo/0', 'bar'],
  ['/', 0],
  ['/a~1b', 1],
  ['/c%d', 2],
  ['/e^f', 3],
  ['/g|h', 4],
  ['/i\\j', 5],
  ['/k"l', 6],
  ['/ ', 7],
  ['/m~0n', 8],
  ['/foo/2', undefined],
  ['/foo/00', undefined],
  ['/foo/-', undefined],
  ['/foo/length', undefined],
  ['/toString', undefined],
  ['/foo/0/0', undefined],
])('%j leads to %j', (pointer, value) => {
  expect(isJsonPointer(pointer)).toBe(true)
  expect(findByPointer(document, pointer)).toEqual(value)
})

test.each(['foo', 'foo/0', '/m~n', '/~', '/~2', '$.foo'])('%j is not a pointer', (text) => {
  expect(isJsonPointer(text)).toBe(false)
})
