import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { streamText } from '../../../src/fleet/logs/read-logs.ts'
import { iterateRecords } from '../../../src/fleet/logs/split-records.ts'

async function* cut(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** Returns the records of these bytes, which come in pieces of this size. */
async function split(content: string | Uint8Array, size: number) {
  const records = await Array.fromAsync(iterateRecords(streamText(cut(Buffer.from(content), size))))
  return records.flat().map(({ line, text }) => [line, text])
}

const lines = 'ä1\r\n\n  \nb€2\n😀3'
const events = '<?xml version="1.0"?>\n<Events>\n<Event a="ä">\n1</Event><EventX/><Event>2</Event>\n</Events>\n'

test.each([1, 2, 3, 5, 7, 1000])(
  'lines and events are whole, whatever the size of the pieces: %i bytes',
  async (size) => {
    const found = [
      [1, 'ä1\r'],
      [4, 'b€2'],
      [5, '😀3'],
    ]
    const contents = [
      lines,
      gzipSync(lines),
      Buffer.from(`\ufeff${lines}`, 'utf16le'),
      Buffer.from(lines.slice(4), 'utf16le'),
      '\n<13>1 a\n<13>1 b',
      events,
    ]
    expect(await Promise.all(contents.map((content) => split(content, size)))).toEqual([
      found,
      found,
      found,
      [
        [3, 'b€2'],
        [4, '😀3'],
      ],
      [
        [2, '<13>1 a'],
        [3, '<13>1 b'],
      ],
      [
        [3, '<Event a="ä">\n1</Event>'],
        [4, '<Event>2</Event>'],
      ],
    ])
  },
)

const longestRecord = 1024 * 1024
const long = 'x'.repeat(longestRecord * 2)

test.each([
  [
    'a line between two others',
    `a\n${long}\nb\n`,
    65_536,
    [
      [1, 'a'],
      [2, undefined],
      [3, 'b'],
    ],
  ],
  [
    'an event before another one',
    `<Event>${long}</Event>\n<Event>1</Event>`,
    65_536,
    [
      [1, undefined],
      [2, '<Event>1</Event>'],
    ],
  ],
  [
    'an event at the end',
    '<Event>1</Event><Event>',
    4,
    [
      [1, '<Event>1</Event>'],
      [1, undefined],
    ],
  ],
  ['one line', long, 65_536, [[1, undefined]]],
  ['a page of HTML, which holds no record', `<html>${long}`, 65_536, []],
])('an endless record is unreadable, and the next one is found: %s', async (_what, content, size, records) => {
  expect(await split(content, size)).toEqual(records)
})

test('a long beginning of empty lines is skipped and counted', async () => {
  expect(await split(`${'\n'.repeat(longestRecord * 2)}a\n`, 65_536)).toEqual([[longestRecord * 2 + 1, 'a']])
})

test('endless spaces are not kept', async () => {
  const begin = process.cpuUsage()
  expect(await split(Buffer.alloc(longestRecord * 40, ' '), 65_536)).toEqual([[1, undefined]])
  const { user, system } = process.cpuUsage(begin)
  expect((user + system) / 1000).toBeLessThan(10_000) // what keeps them takes minutes
})
