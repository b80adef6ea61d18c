import type { Task } from '../scenario/plan-scenario.ts'
import type { SimulationEvent } from '../simulation-event.ts'
import type { PlaySettings } from './play-settings.ts'
import { ScenarioStage } from './scenario-stage.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** Plays a scenario with a client of its own and gives everything that happened, in order. */
export async function playScenario(settings: PlaySettings): Promise<SimulationEvent[]> {
  const { tasks, clock } = settings
  const startAt = clock.now()
  const stage = new ScenarioStage(settings)
  const moments = [...new Set(tasks.map(({ atSec }) => atSec))]
  for (const atSec of moments) {
    await passTo(startAt + atSec * 1000, stage, clock)
    const due = tasks.filter((task) => task.atSec === atSec)
    for (const group of together(due)) await settle(Promise.all(group.map(({ act }) => stage.perform(act))), clock)
  }
  return stage.events
}

/** Moves the time to a moment; what is due on the way happens then, unless the laptop sleeps. */
async function passTo(moment: number, stage: ScenarioStage, clock: VirtualClock): Promise<void> {
  for (let dueAt = stage.dueAt(); dueAt <= moment; dueAt = stage.dueAt()) {
    clock.advanceTo(dueAt)
    await settle(stage.wake(), clock)
  }
  clock.advanceTo(moment)
}

/** Windows open, and turns are sent, side by side at one moment; everything else happens one after the other. */
function together(tasks: readonly Task[]): Task[][] {
  const groups: Task[][] = []
  for (const task of tasks) {
    const { type } = task.act
    const last = groups.at(-1)
    if ((type === 'turn' || type === 'start') && last?.[0]?.act.type === type) last.push(task)
    else groups.push([task])
  }
  return groups
}

/** How long real processes and sockets get before the time is moved on for whoever waits in it. */
const realPauseMs = 2

/** Waits for real work, and moves the time only as far as somebody in it waits: a slow helper, or a silent stream. */
async function settle(work: Promise<unknown>, clock: VirtualClock): Promise<void> {
  let isDone = false
  const done = work.finally(() => {
    isDone = true
  })
  while (!isDone) {
    await Promise.race([done, new Promise((resolve) => setTimeout(resolve, realPauseMs))])
    const next = isDone ? undefined : clock.nextAwaited()
    if (next !== undefined) clock.advanceTo(next)
  }
  await done
}
