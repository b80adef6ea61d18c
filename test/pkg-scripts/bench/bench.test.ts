import { describe, expect, test } from 'vitest'
import { comparePairs, computeSpread } from '../../../pkg-scripts/bench/compare-pairs.ts'
import { measureBatch, measureProcess } from '../../../pkg-scripts/bench/processes.ts'
import { sendLoad } from '../../../pkg-scripts/bench/send-load.ts'
import { startLoadServer } from '../../../pkg-scripts/bench/start-load-server.ts'
import { toStableText } from '../../setup/to-stable-text.ts'

test('the middle of an even number of values is that of the two in the middle', () => {
  expect(computeSpread([5, 1, 2])).toEqual({ min: 1, median: 2, max: 5 })
  expect(computeSpread([5, 1, 2, 4])).toEqual({ min: 1, median: 3, max: 5 })
})

test('pairs are measured in turn, after one uncounted run of each', async () => {
  const asked: string[] = []
  const measure = (name: string, values: number[]) => () => {
    asked.push(name)
    return values.shift()!
  }
  const { ratio } = await comparePairs(measure('a', [9, 2, 4]), measure('b', [9, 1, 1]), 2)
  expect([asked.join(''), ratio]).toEqual(['ababab', { min: 2, median: 3, max: 4 }])
})

describe('a measurement fails with', () => {
  const script = 'console.error("no"); process.exitCode = 3'
  const failing = { file: process.execPath, args: ['-e', script], env: {} }
  const failure = new Error(`${process.execPath} -e ${script} failed: no\n`)

  test('a process that fails', () => {
    expect(() => measureProcess(failing)()).toThrow(failure)
  })

  test('one process of a batch that fails', async () => {
    await expect(measureBatch(2, () => failing)()).rejects.toEqual(failure)
  })

  test('an answer that is not a success', async () => {
    using server = await startLoadServer({ answers: [{ method: 'GET', path: '/', body: '{}' }] })
    const load = (path: string) =>
      sendLoad({ url: server.url, bytes: `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n` }, 10)
    expect(await load('/')).toBeGreaterThan(0)
    const { message } = await load('/none').catch((error) => error)
    expect(toStableText(message).replaceAll('\r', '')).toBe(`the server under load answered: HTTP/1.1 404 Not Found
Content-Type: text/plain; charset=UTF-8
Date: DATE
Connection: keep-alive
Keep-Alive: timeout=5
Content-Length: 13

404 Not Found`)
  })
})
