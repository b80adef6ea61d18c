import { isHealthy } from '../runs/run.ts'
import type { Observation, ScenarioName, ScenarioSetup } from './scenario.ts'
import { scenarios } from './scenarios.ts'

/**
 * Makes the runs of these scenarios, one scenario after the other. With `unavailable`, the reason why no run can be made
 * here, it makes none. `onStart` is called before each.
 */
export async function observeScenarios(
  names: readonly ScenarioName[],
  setup: Omit<ScenarioSetup, 'earlier'>,
  unavailable: string | undefined,
  onStart: (name: ScenarioName) => void,
): Promise<ReadonlyMap<ScenarioName, Observation>> {
  const earlier = new Map<ScenarioName, Observation>()
  for (const name of names) {
    onStart(name)
    earlier.set(name, unavailable === undefined ? await observeScenario(name, { ...setup, earlier }) : { unavailable })
  }
  return earlier
}

/** No run is made where a scenario that must come before this one gave no token. */
async function observeScenario(name: ScenarioName, setup: ScenarioSetup): Promise<Observation> {
  const { after, observe } = scenarios[name]
  const isPointless = after.some((other) => {
    const observed = setup.earlier.get(other)
    return observed !== undefined && 'runs' in observed && !observed.runs.every(isHealthy)
  })
  return isPointless ? { runs: [] } : observe(setup)
}
