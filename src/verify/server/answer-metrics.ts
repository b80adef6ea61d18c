// Counts the answers of a verifier for its metrics; `metrics.ts` has the other metrics.

import { Counter, type Histogram, type Registry } from 'prom-client'
import { refusalReasons } from '../../contract/refusal-reasons.ts'
import type { Identity } from '../verdict.ts'
import type { Observation } from '../verifier/verifier.ts'

/**
 * Counts answers under one text for all labels, and converts them to a Prometheus metric when it is collected: the counter of prom-client
 * processes every label of every answer, which takes longer than finding the token in the cache.
 */
export function addCounts(registers: Registry[]): (observation: Observation) => void {
  const counts = new Map<string, { readonly labels: AnswerLabels; count: number }>()
  new Counter({
    ...verifications,
    registers,
    collect() {
      this.reset()
      for (const { labels, count } of counts.values()) this.inc(labels, count)
    },
  })
  let last: { readonly labels: AnswerLabels; count: number } | undefined
  const add = (labels: AnswerLabels, step: number) => {
    if (last && hasSameLabels(last.labels, labels)) {
      last.count += step
      return
    }
    const { source, kind, reason, rule } = labels
    const key = `${source} ${kind} ${reason} ${rule}` // only the rule, which is last, may have spaces
    const known = counts.get(key)
    last = known ?? { labels, count: 0 }
    last.count += step
    if (!known) counts.set(key, last)
  }
  // Prometheus does not count the first value of a series as an increase, so an alert would miss the first such answer.
  for (const [reason, { status }] of Object.entries(refusalReasons))
    for (const kind of status < 500 ? [] : (['jwt', 'opaque', 'aws-identity'] satisfies Identity['kind'][]))
      add({ outcome: 'refused', reason, rule: '', kind, source: 'verification' }, 0)
  return ({ verdict, source, kind = 'unknown' }) => {
    const { outcome } = verdict
    if (outcome === 'accepted') add({ outcome, reason: '', rule: verdict.rule, kind, source }, 1)
    else add({ outcome, reason: verdict.refusal.reason, rule: '', kind, source }, 1)
  }
}

/** Returns whether an answer has the labels of the one before, as most have: comparing them is faster than joining them. */
function hasSameLabels(one: AnswerLabels, other: AnswerLabels): boolean {
  return (
    one.rule === other.rule && one.reason === other.reason && one.source === other.source && one.kind === other.kind
  )
}

/** The labels of an answer, in the order in which they are shown. */
type AnswerLabels = Record<'outcome' | 'reason' | 'rule' | 'kind' | 'source', string>

/**
 * Counts the durations of verdicts. The histogram of prom-client processes the labels of each observation, which takes much of the time of
 * finding a token in the cache; this one is converted when it is collected.
 */
export function addDurations(registers: Registry[]): (observation: Observation) => void {
  const name = 'gatepass_verification_seconds'
  const create = () => ({ counts: new Array<number>(buckets.length + 1).fill(0), count: 0, sum: 0 })
  const known = { verification: create(), cache: create(), request: create() }
  const get = async () => ({
    name,
    help: 'How long a verdict took',
    type: 'histogram',
    aggregator: 'sum',
    values: Object.entries(known).flatMap(([source, { counts, count, sum }]) => {
      if (count === 0) return []
      let total = 0
      const bounds = [...buckets, '+Inf'].map((le, index) => {
        total += counts[index]!
        return { labels: { le, source }, value: total, metricName: `${name}_bucket` }
      })
      return [
        ...bounds,
        ...Object.entries({ sum, count }).map(([end, value]) => ({
          labels: { source },
          value,
          metricName: `${name}_${end}`,
        })),
      ]
    }),
  })
  for (const registry of registers) registry.registerMetric({ name, get } as unknown as Histogram)
  return ({ source, ms }) => {
    const series = known[source]
    const seconds = ms / 1000
    let index = 0
    while (index < buckets.length && seconds > buckets[index]!) index += 1
    series.counts[index]! += 1
    series.count += 1
    series.sum += seconds
  }
}

/** The upper bounds in seconds: reading the cache takes microseconds, a signature less than a millisecond, AWS STS up to seconds. */
const buckets = [0.000_1, 0.000_5, 0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 15]

/** The counter of answers. That of a server with tenants has their names as one more label. */
export const verifications = {
  name: 'gatepass_verifications_total',
  help: 'Answers by what they say and why, and whether they came from the cache',
  labelNames: ['outcome', 'reason', 'rule', 'kind', 'source'],
} as const
