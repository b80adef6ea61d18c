import { expect, test } from 'vitest'
import { createSeenRecords } from '../../../src/fleet/logs/seen-records.ts'

const texts = Array.from({ length: 1000 }, (_, index) => `text ${index}`)

test('a text is seen the second time, however many there are', () => {
  const seen = createSeenRecords(2 ** 20)
  const many = Array.from({ length: 100_000 }, (_, index) => `text ${index}`)
  const rounds = [1, 2].map(() => new Set(many.map((text) => seen.add(text))))
  expect({ rounds, isFull: seen.isFull() }).toEqual({ rounds: [new Set(['new']), new Set(['seen'])], isFull: false })
})

test('a full memory says so, and takes the rest for new', () => {
  const seen = createSeenRecords(512)
  const first = new Set(texts.map((text) => seen.add(text)))
  const isFull = seen.isFull()
  const second = texts.map((text) => seen.add(text))
  expect({ first, isFull, second }).toEqual({
    first: new Set(['new']),
    isFull: true,
    second: texts.map((_, index) => (index < 256 ? 'seen' : 'new')),
  })
})
