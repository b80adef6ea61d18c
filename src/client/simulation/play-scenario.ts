import type { Task } from './plan-scenario.ts'
import { type PlaySettings, ScenarioStage } from './scenario-stage.ts'
import type { SimulationEvent } from './simulation-event.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** Plays a scenario with a new client and returns the events in order. */
export async function playScenario(settings: PlaySettings): Promise<SimulationEvent[]> {
  const { tasks, clock } = settings
  const startAt = clock.now()
  const stage = new ScenarioStage(settings)
  const moments = [...new Set(tasks.map(({ atSec }) => atSec))]
  for (const atSec of moments) {
    await playUntil(startAt + atSec * 1000, stage, clock)
    const due = tasks.filter((task) => task.atSec === atSec)
    for (const group of groupConcurrent(due))
      await waitFor(Promise.all(group.map(({ action }) => stage.perform(action))), clock)
  }
  return stage.events
}

/** Advances the clock to a time. Everything due before then happens at its own time, unless the laptop sleeps. */
async function playUntil(moment: number, stage: ScenarioStage, clock: VirtualClock): Promise<void> {
  for (let dueAt = stage.dueAt(); dueAt <= moment; dueAt = stage.dueAt()) {
    clock.moveTo(dueAt)
    await waitFor(stage.wake(), clock)
  }
  clock.moveTo(moment)
}

/** Groups tasks that run concurrently: session starts, or turns, at the same time; every other task runs alone. */
function groupConcurrent(tasks: readonly Task[]): Task[][] {
  const groups: Task[][] = []
  for (const task of tasks) {
    const { type } = task.action
    const last = groups.at(-1)
    if ((type === 'turn' || type === 'start') && last?.[0]?.action.type === type) last.push(task)
    else groups.push([task])
  }
  return groups
}

/** How long real processes and sockets may run before the clock is advanced for work that waits for it. */
const realPauseMs = 2

/** Waits for real work. It advances the clock only for work that sleeps by it: a slow helper, or a silent stream. */
async function waitFor(work: Promise<unknown>, clock: VirtualClock): Promise<void> {
  let isDone = false
  const done = work.finally(() => {
    isDone = true
  })
  while (!isDone) {
    await Promise.race([done, new Promise((resolve) => setTimeout(resolve, realPauseMs))])
    const next = isDone ? undefined : clock.nextAwaited()
    if (next !== undefined) clock.moveTo(next)
  }
  await done
}
