import { expect, test } from 'vitest'
import type { CallOutcome } from '../../../src/outcomes/call-outcome.ts'
import { toMetrics } from '../../../src/outcomes/destinations/otlp-destination.ts'
import { cachedOutcome } from '../../setup/cached-outcome.ts'
import { decodeMetricsRequest } from '../../stand-ins/collector/published-protocol.ts'

const { time } = cachedOutcome
const now = time + 60_000

const cached = cachedOutcome
const minted: CallOutcome = { ...cached, time: time + 10_000, ms: 1_400, origin: 'mint', mintMs: 1_250 }
const late: CallOutcome = {
  ...cached,
  time: time - 70_000,
  outcome: 'late',
  status: 7,
  ms: 58_000,
  late: 'network',
  mintMs: 57_500,
  origin: undefined,
}
const batch = { outcomes: [late, cached, minted, cached], lost: 3, resource: { 'host.name': 'desk 7' } }

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })
const interval = { startTimeUnixNano: '1789999988000000000', timeUnixNano: '1790000060000000000' }
const explicitBounds = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60]

const helper = text('gatepass.helper', 'aws-bedrock-token')
const source = text('gatepass.source', 'aws-sso')
const success = text('gatepass.outcome', 'success')
const failure = text('gatepass.outcome', 'late')
const errorType = text('error.type', 'late')

test('a batch is counters and histograms over the time from the end of its first call until now', () => {
  const which = [helper, text('gatepass.version', '1.2.3'), source]
  const rest = [text('gatepass.context', 'interactive'), text('gatepass.format', 'json')]
  const status = (intValue: string) => ({ key: 'process.exit.code', value: { intValue } })
  const failed = [...which, failure, status('7'), text('gatepass.late', 'network')]
  const served = (word: string) => [...which, text('gatepass.token.origin', word), success, status('0')]
  const calls = [
    [[...failed, ...rest, errorType], '1'],
    [[...served('cache'), ...rest], '2'],
    [[...served('mint'), ...rest], '1'],
  ].map(([attributes, asInt]) => ({ attributes, ...interval, asInt }))
  const durations = [
    {
      attributes: [...failed, errorType],
      count: '1',
      sum: 58,
      bucketCounts: [...Array(10).fill('0'), '1', '0'],
    },
    {
      attributes: served('cache'),
      count: '2',
      sum: 0.06,
      bucketCounts: ['0', '2', ...Array(10).fill('0')],
    },
    {
      attributes: served('mint'),
      count: '1',
      sum: 1.4,
      bucketCounts: [...Array(6).fill('0'), '1', ...Array(5).fill('0')],
    },
  ].map((point) => ({ ...point, ...interval, explicitBounds }))
  const mints = [
    {
      attributes: [...failed, errorType],
      count: '1',
      sum: 57.5,
      bucketCounts: [...Array(10).fill('0'), '1', '0'],
    },
    {
      attributes: served('mint'),
      count: '1',
      sum: 1.25,
      bucketCounts: [...Array(6).fill('0'), '1', ...Array(5).fill('0')],
    },
  ].map((point) => ({ ...point, ...interval, explicitBounds }))
  expect(toMetrics(batch, now)).toEqual({
    resourceMetrics: [
      {
        resource: { attributes: [text('host.name', 'desk 7')] },
        scopeMetrics: [
          {
            scope: { name: 'gatepass' },
            metrics: [
              {
                name: 'gatepass.calls',
                unit: '{call}',
                description: 'Calls of helpers.',
                sum: { isMonotonic: true, aggregationTemporality: 1, dataPoints: calls },
              },
              {
                name: 'gatepass.call.duration',
                unit: 's',
                description: 'Time from the start of a helper to its output.',
                histogram: { aggregationTemporality: 1, dataPoints: durations },
              },
              {
                name: 'gatepass.mint.duration',
                unit: 's',
                description: 'Time that a source took for a new token, or to fail.',
                histogram: { aggregationTemporality: 1, dataPoints: mints },
              },
              {
                name: 'gatepass.outcomes.lost',
                unit: '{call}',
                description:
                  'Calls that are in none of the other metrics, because a destination did not take them in time.',
                sum: {
                  isMonotonic: true,
                  aggregationTemporality: 1,
                  dataPoints: [{ attributes: [], ...interval, asInt: '3' }],
                },
              },
            ],
          },
        ],
      },
    ],
  })
})

test("the published definition of the protocol reads every member of it, in the definition's own spelling", () => {
  const written = JSON.stringify(toMetrics(batch, now))
  const decoded = JSON.stringify(decodeMetricsRequest(written))
  // OTLP has numbers for the names of an enumeration, and is else the JSON of protocol buffers. It leaves out empty values.
  const named = written
    .replaceAll('"aggregationTemporality":1', '"aggregationTemporality":"AGGREGATION_TEMPORALITY_DELTA"')
    .replaceAll('"attributes":[],', '')
  expect(JSON.parse(decoded)).toEqual(JSON.parse(named))
})

test.each([
  ['a member that it does not know', { name: 'gatepass.calls', count: 1 }],
  ['a number where it has a text', { name: 1 }],
  ['a count that is no whole number', { name: 'gatepass.calls', sum: { dataPoints: [{ asInt: '1.5' }] } }],
])('a request for metrics is refused with %s', (_, metric) => {
  const request = { resourceMetrics: [{ scopeMetrics: [{ metrics: [metric] }] }] }
  expect(() => decodeMetricsRequest(JSON.stringify(request))).toThrow()
})

const listMetrics = (lost: number) =>
  toMetrics({ outcomes: [], lost, resource: {} }, now).resourceMetrics[0]!.scopeMetrics[0]!.metrics

test('lost calls alone are one metric', () => {
  expect(JSON.stringify(listMetrics(7))).toBe(
    '[{"name":"gatepass.outcomes.lost","unit":"{call}","description":"Calls that are in none of the other metrics, because a destination did not take them in time.","sum":{"isMonotonic":true,"aggregationTemporality":1,"dataPoints":[{"attributes":[],"startTimeUnixNano":"1790000059999000000","timeUnixNano":"1790000060000000000","asInt":"7"}]}}]',
  )
})

test('without any call there is no metric', () => {
  expect(listMetrics(0)).toEqual([])
})

test('a call that ended after now, by a clock that was set back since, leaves an interval that ends after it begins', () => {
  const request = JSON.stringify(toMetrics({ outcomes: [minted], lost: 0, resource: {} }, time))
  expect(new Set(request.match(/"startTimeUnixNano":"\d+","timeUnixNano":"\d+"/g))).toEqual(
    new Set(['"startTimeUnixNano":"1789999999999000000","timeUnixNano":"1790000000000000000"']),
  )
})

test('a time on a bound is below it, and one above all bounds is in the last bucket', () => {
  const outcomes = [25, 26, 60_000, 60_001].map((ms) => ({ ...cached, ms }))
  const [, durations] = toMetrics({ outcomes, lost: 0, resource: {} }, now).resourceMetrics[0]!.scopeMetrics[0]!.metrics
  expect(durations).toEqual({
    histogram: {
      dataPoints: [
        {
          count: '4',
          bucketCounts: ['1', '1', '0', '0', '0', '0', '0', '0', '0', '0', '1', '1'],
          attributes: [
            { key: 'gatepass.helper', value: { stringValue: 'aws-bedrock-token' } },
            { key: 'gatepass.version', value: { stringValue: '1.2.3' } },
            { key: 'gatepass.source', value: { stringValue: 'aws-sso' } },
            { key: 'gatepass.token.origin', value: { stringValue: 'cache' } },
            { key: 'gatepass.outcome', value: { stringValue: 'success' } },
            { key: 'process.exit.code', value: { intValue: '0' } },
          ],
          startTimeUnixNano: '1790000000025000000',
          timeUnixNano: '1790000060000000000',
          sum: 120.052,
          explicitBounds: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60],
        },
      ],
      aggregationTemporality: 1,
    },
    name: 'gatepass.call.duration',
    unit: 's',
    description: 'Time from the start of a helper to its output.',
  })
})
