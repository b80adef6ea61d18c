import { expect, test } from 'vitest'
import { computeAxisEnd, nameMoments, renderColumns } from '../../../src/client/page/render-columns.ts'

test.each([
  [0, 2],
  [1, 2],
  [3, 4],
  [10, 10],
  [11, 20],
  [50, 60],
  [99, 100],
  [100, 100],
  [50_001, 60_000],
  [999_999, 1_000_000],
])('above %i an axis ends at %i', (most, end) => {
  expect(computeAxisEnd(most)).toBe(end)
})

const chart = renderColumns({
  label: 'a & b',
  panels: [
    { title: 'calls', height: 100, parts: [{ className: 'calls', values: [1, 1_000_000] }], renderValue: String },
  ],
  columns: [{ words: '<script>"' }, { words: 'much', tick: '09:00' }],
})

test('the words of a column are never parsed as HTML', () => {
  expect(chart.match(/<script|(?<=aria-label=")[^"]*/g)).toEqual([
    'a &#38; b',
    'a &#38; b',
    '&#60;script&#62;&#34;',
    'much',
  ])
})

test('a very small column is visible', () => {
  expect([...chart.matchAll(/class="calls".*? height="([\d.]+)"/g)].map(([, height]) => height)).toEqual(['1', '100'])
})

const at = (text: string) => Date.parse(`${text}Z`)
const every = (minutes: number, count: number, from: string) =>
  Array.from({ length: count }, (_, index) => at(from) + index * minutes * 60_000)

test.each([
  ['an hour', every(1, 60, '2026-03-02T09:00'), ['09:00', '09:05', '09:10']],
  ['a night', every(5, 120, '2026-03-02T22:00'), ['22:00', '23:00', '03-03']],
  ['weeks', every(1440, 30, '2026-03-02T00:00'), ['03-02', '03-09', '03-16']],
  ['one moment', every(1, 1, '2026-03-02T09:07'), ['09:07']],
])('at least two moments of %s are labelled', (_what, moments, first) => {
  const names = nameMoments(moments).filter((name) => name !== undefined)
  expect({ first: names.slice(0, 3), areFew: names.length <= 13 }).toEqual({ first, areFew: true })
})
