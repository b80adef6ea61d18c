import { isHealthy } from '../runs/run.ts'
import type { Observation, Scenario, ScenarioName, ScenarioSetup } from './scenario.ts'
import { isEveryRunHealthy, isHealthyInParallel } from './scenario-runs.ts'
import { scenarios } from './scenarios.ts'

/** What came of scenarios by their names. */
export type Observations = ReadonlyMap<ScenarioName, Observation>

type Observe = (name: ScenarioName) => Promise<void>

/** When the time of the whole check is over, and what is then said of a scenario that was not made. */
export interface CheckLimit {
  readonly limit: AbortSignal
  readonly late: string
}

/**
 * Makes the runs of these scenarios. At the pace `one-at-a-time` in the order of their table; else what must be alone comes
 * first, then runs at once, and where those are healthy, the rest at once. `onDone` is called after each.
 */
export async function observeScenarios(
  names: readonly ScenarioName[],
  setup: Omit<ScenarioSetup, 'earlier'>,
  { limit, late }: CheckLimit,
  onDone: (name: ScenarioName) => void,
): Promise<Observations> {
  const earlier = new Map<ScenarioName, Observation>()
  const observe = async (name: ScenarioName) => {
    const observed = observeScenario(name, { ...setup, earlier })
    earlier.set(name, await observed.catch((thrown) => toLate(thrown, setup.signal, limit, late)))
    onDone(name)
  }
  if (setup.pace === 'one-at-a-time') await observeInOrder(names, observe)
  else await observeAtOnce(names, { ...setup, earlier }, observe, (name) => earlier.set(name, lostState))
  return new Map(names.map((name) => [name, isPointless(name, earlier) ? noRuns : (earlier.get(name) ?? noRuns)]))
}

/** @throws what ended the runs, if that is not the end of the check's time. */
function toLate(thrown: unknown, signal: AbortSignal, limit: AbortSignal, late: string): Observation {
  if (!limit.aborted || signal.reason !== limit.reason) throw thrown
  return { unavailable: late }
}

const noRuns: Observation = { runs: [] }

/** Runs at once, and the one after them, failed: what fails from now on may be their fault. */
const lostState: Observation = {
  unavailable: 'not tried: since ten runs at once no run gives a token (--one-at-a-time tries it before)',
}

async function observeInOrder(names: readonly ScenarioName[], observe: Observe): Promise<void> {
  for (const name of names) await observe(name)
}

async function observeAtOnce(
  names: readonly ScenarioName[],
  setup: ScenarioSetup,
  observe: Observe,
  giveUp: (name: ScenarioName) => void,
): Promise<void> {
  const having = (stage: Scenario['stage']) => names.filter((name) => scenarios[name].stage === stage)
  const conditions = having('condition')
  await observeInOrder([...having('alone'), ...having('parallel')], observe)
  if (isHealthyInParallel(setup)) await Promise.all(conditions.map(observe))
  else {
    const rest = conditions.filter((name) => name !== 'after-parallel')
    if (conditions.length > rest.length) await observe('after-parallel')
    if (isStateLost(setup.earlier)) for (const name of rest) giveUp(name)
    else await observeInOrder(rest, observe)
  }
  await observeInOrder(having('kill'), observe)
}

function isStateLost(earlier: Observations): boolean {
  const after = earlier.get('after-parallel')
  return after !== undefined && 'runs' in after && after.runs.length > 0 && !isEveryRunHealthy(after)
}

/** No run is made where a scenario that must come before this one gave no token. */
async function observeScenario(name: ScenarioName, setup: ScenarioSetup): Promise<Observation> {
  return isPointless(name, setup.earlier) ? noRuns : scenarios[name].observe(setup)
}

function isPointless(name: ScenarioName, earlier: Observations): boolean {
  return scenarios[name].after.some((other) => {
    const observed = earlier.get(other)
    return observed !== undefined && 'runs' in observed && !observed.runs.every(isHealthy)
  })
}
