import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { streamText } from '../../../src/fleet/logs/read-logs.ts'
import { iterateRecords, longestRecord } from '../../../src/fleet/logs/split-records.ts'

async function* cut(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** The records of these bytes, which come in pieces of this size. */
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
    expect(await split(lines, size)).toEqual(found)
    expect(await split(gzipSync(lines), size)).toEqual(found)
    expect(await split(Buffer.from(`\ufeff${lines}`, 'utf16le'), size)).toEqual(found)
    expect(await split(Buffer.from(lines.slice(4), 'utf16le'), size)).toEqual(
      [
        [2, 'b€2'],
        [3, '😀3'],
      ].map(([, text], at) => [at + 3, text]),
    )
    expect(await split('\n<13>1 a\n<13>1 b', size)).toEqual([
      [2, '<13>1 a'],
      [3, '<13>1 b'],
    ])
    expect(await split(events, size)).toEqual([
      [3, '<Event a="ä">\n1</Event>'],
      [4, '<Event>2</Event>'],
    ])
  },
)

test('a record that never ends is one that cannot be read, and the next is found', async () => {
  const long = 'x'.repeat(longestRecord * 2)
  expect(await split(`a\n${long}\nb\n`, 65_536)).toEqual([
    [1, 'a'],
    [2, undefined],
    [3, 'b'],
  ])
  expect(await split(`<Event>${long}</Event>\n<Event>1</Event>`, 65_536)).toEqual([
    [1, undefined],
    [2, '<Event>1</Event>'],
  ])
  expect(await split('<Event>1</Event><Event>', 4)).toEqual([
    [1, '<Event>1</Event>'],
    [1, undefined],
  ])
  expect(await split(long, 65_536)).toEqual([[1, undefined]])
  expect(await split(`<html>${long}`, 65_536)).toEqual([])
})

test('a long beginning of empty lines is passed over, and its lines are counted', async () => {
  expect(await split(`${'\n'.repeat(longestRecord * 2)}a\n`, 65_536)).toEqual([[longestRecord * 2 + 1, 'a']])
})

test('spaces without end are not kept', async () => {
  const begin = process.cpuUsage()
  expect(await split(Buffer.alloc(longestRecord * 40, ' '), 65_536)).toEqual([[1, undefined]])
  const { user, system } = process.cpuUsage(begin)
  expect((user + system) / 1000).toBeLessThan(10_000) // what keeps them takes minutes
})
