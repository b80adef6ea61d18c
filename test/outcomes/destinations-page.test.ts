import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../pkg-scripts/tree.ts'
import { eventFacts } from '../../src/outcomes/destinations/log-event.ts'
import { toMetrics } from '../../src/outcomes/destinations/otlp-destination.ts'

const page = readFileSync(join(root, 'docs/outcome-destinations.md'), 'utf8')

test('the page names every metric and every bound', () => {
  const outcome = {
    time: 0,
    helper: 'a',
    version: '1',
    context: 'interactive',
    format: 'json',
    outcome: 'success',
    status: 0,
    ms: 2,
    mintMs: 1,
  } as const
  const { resourceMetrics } = toMetrics({ outcomes: [outcome], lost: 1, resource: {} }, 10)
  const metrics = resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
  const names = metrics.map(({ name }) => name)
  const [durations] = metrics.flatMap((metric) => ('histogram' in metric ? metric.histogram.dataPoints : []))
  const bounds = `are ${durations!.explicitBounds.join(', ').replace(', 60', ' and 60')} s`
  expect([...names.map((name) => `\`${name}\``), bounds].filter((words) => !page.includes(words))).toEqual([])
})

test('the page has the number and the level of every event', () => {
  const { mint, kept, cached, lost, ...failures } = eventFacts
  const facts = [mint, kept, cached, lost].map(({ eventId, level }) => `${eventId} | ${level}`)
  expect([...page.matchAll(/^\| [^|]* \| (\d+ \| [a-z]+) \|/gm)].map(([, row]) => row)).toEqual(facts)
  const byLevel = (level: string) =>
    Object.values(failures)
      .filter((facts) => facts.level === level)
      .map(({ eventId }) => eventId - 200)
      .sort((a, b) => a - b)
      .join(', ')
  const levels = ['error', 'information', 'warning'].map((level) => `${level}: ${byLevel(level)}`).join('; ')
  const told = [`| ${levels} |`, `MESSAGE_ID=${failures.late.messageId}`]
  expect(told.filter((words) => !page.includes(words))).toEqual([])
})
