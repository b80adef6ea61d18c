import { Counter, type Registry } from 'prom-client'
import type { ProviderIntrospection } from '../introspection/provider-introspection.ts'
import { questionOutcomes } from '../introspection/provider-lanes.ts'
import { addGauge, addLabelledGauge } from './metrics.ts'

/** Adds the counters of requests to providers. */
export function addIntrospectionMetrics(
  registry: Registry,
  { states, size }: Pick<ProviderIntrospection, 'states' | 'size'>,
): void {
  const registers = [registry]
  new Counter({
    name: 'gatepass_introspections_total',
    help: 'Questions to providers whether a token is active, and answers to the question that were given without asking',
    labelNames: ['issuer', 'outcome'],
    registers,
    collect() {
      this.reset()
      for (const { issuer, counts } of states())
        for (const outcome of questionOutcomes) this.inc({ issuer, outcome }, counts[outcome])
    },
  })
  const away = {
    name: 'gatepass_introspection_away',
    help: '1 while a provider gives no good answer',
    label: 'issuer',
  }
  addLabelledGauge(registers, away, () =>
    states().map(({ issuer, failure }) => [issuer, Number(failure !== undefined)]),
  )
  const pending = 'Questions that providers have not answered yet'
  const countPending = () => states().reduce((sum, { inFlight }) => sum + inFlight, 0)
  addGauge(registers, 'gatepass_introspections_in_flight', pending, countPending, 'sum')
  addGauge(registers, 'gatepass_introspection_entries', 'Answers of providers that are remembered', size, 'sum')
}
