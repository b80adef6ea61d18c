import type { Clock } from '../../deadline.ts'
import type { OutcomeDestination } from '../destination.ts'
import { type Collector, sendMetrics } from './send-metrics.ts'
import { toMetrics } from './to-metrics.ts'

/** Outcomes as metrics of a collector. */
export function createOtlpDestination(collector: Collector, clock: Pick<Clock, 'now'>): OutcomeDestination {
  return {
    name: 'otlp',
    send: (batch, within) => sendMetrics(toMetrics(batch, clock.now()), collector, within),
  }
}
