import { describe, expect, test } from 'vitest'
import { comparePairs, computeSpread } from '../../../pkg-scripts/bench/pairs.ts'
import { measureBatch, measureProcess } from '../../../pkg-scripts/bench/processes.ts'
import { sendLoad } from '../../../pkg-scripts/bench/send-load.ts'
import { startLoadServer } from '../../../pkg-scripts/bench/start-load-server.ts'

test('a spread has the middle of an odd number of values, and of an even number the middle of two', () => {
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

describe('what fails is not measured', () => {
  const failing = { file: process.execPath, args: ['-e', 'console.error("no"); process.exitCode = 3'], env: {} }

  test('a process', () => {
    expect(() => measureProcess(failing)()).toThrow(/failed: no/)
  })

  test('one process of a batch', async () => {
    await expect(measureBatch(2, () => failing)()).rejects.toThrow(/failed: no/)
  })

  test('an answer that is not a success', async () => {
    using server = await startLoadServer({ answers: [{ method: 'GET', path: '/', body: '{}' }] })
    const load = (path: string) =>
      sendLoad({ url: server.url, bytes: `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n` }, 10)
    expect(await load('/')).toBeGreaterThan(0)
    await expect(load('/none')).rejects.toThrow('the server under load answered: HTTP/1.1 404')
  })
})
