import type { Clock } from '../../deadline.ts'
import type { OutcomeDestination } from '../destination.ts'
import { type Collector, sendMetrics } from './send-metrics.ts'
import { toMetrics } from './to-metrics.ts'

/**
 * Outcomes as metrics of a collector.
 * @param openCollector Called for each batch: settings that cannot be used keep that batch, and nothing else.
 */
export function createOtlpDestination(
  openCollector: () => Promise<Collector>,
  clock: Pick<Clock, 'now'>,
): OutcomeDestination {
  return {
    name: 'otlp',
    send: async (batch, within) => sendMetrics(toMetrics(batch, clock.now()), await openCollector(), within),
  }
}
