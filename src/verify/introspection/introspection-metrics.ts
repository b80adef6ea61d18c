import { Counter, Gauge, type Registry } from 'prom-client'
import type { ProviderIntrospection } from './provider-introspection.ts'
import { questionOutcomes } from './provider-lanes.ts'

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
  new Gauge({
    name: 'gatepass_introspection_away',
    help: '1 while a provider gives no good answer',
    labelNames: ['issuer'],
    registers,
    aggregator: 'max',
    collect() {
      for (const { issuer, failure } of states()) this.set({ issuer }, Number(failure !== undefined))
    },
  })
  new Gauge({
    name: 'gatepass_introspections_in_flight',
    help: 'Questions that providers have not answered yet',
    registers,
    aggregator: 'sum',
    collect() {
      this.set(states().reduce((sum, { inFlight }) => sum + inFlight, 0))
    },
  })
  new Gauge({
    name: 'gatepass_introspection_entries',
    help: 'Answers of providers that are remembered',
    registers,
    aggregator: 'sum',
    collect() {
      this.set(size())
    },
  })
}
