import { expect, test } from 'vitest'
import { createSeenRecords } from '../../../src/fleet/logs/seen-records.ts'

const texts = Array.from({ length: 1000 }, (_, index) => `text ${index}`)

test('a text is seen the second time, however many there are', () => {
  const seen = createSeenRecords(2 ** 20)
  const many = Array.from({ length: 100_000 }, (_, index) => `text ${index}`)
  expect(new Set(many.map((text) => seen.add(text)))).toEqual(new Set(['new']))
  expect(new Set(many.map((text) => seen.add(text)))).toEqual(new Set(['seen']))
  expect(seen.isFull()).toBe(false)
})

test('without room it says so, knows what it had, and counts the rest as new', () => {
  const seen = createSeenRecords(512)
  expect(new Set(texts.map((text) => seen.add(text)))).toEqual(new Set(['new']))
  expect(seen.isFull()).toBe(true)
  const second = texts.map((text) => seen.add(text))
  expect(second.slice(0, 256)).toEqual(texts.slice(0, 256).map(() => 'seen'))
  expect(second.slice(256)).toEqual(texts.slice(256).map(() => 'new'))
})
