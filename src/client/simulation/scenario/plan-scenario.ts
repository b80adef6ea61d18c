import type { DocumentValues, Effect, PersonState, Repetition, Scenario, Step } from './scenario.ts'

/** One thing to do, at a moment counted from the start of the scenario. */
export interface Task {
  readonly atSec: number
  readonly act: Act
}

export type Act =
  | { readonly type: 'start' | 'turn'; readonly window: number }
  | { readonly type: 'scheduled-task' }
  /** The laptop sleeps until then: nothing is due on it, and nobody does anything. */
  | { readonly type: 'sleep'; readonly untilSec: number }
  | { readonly type: 'awake' | 'end' }
  | { readonly type: 'relaunch' | 'probe' | 'setup-test' }
  | { readonly type: 'revoke' }
  | { readonly type: 'person'; readonly is: PersonState }
  | { readonly type: 'document-changes'; readonly values: DocumentValues }
  | { readonly type: 'effect-begins'; readonly effect: Effect; readonly untilSec: number }
  | { readonly type: 'effect-ends'; readonly effect: Effect }

/** More would be no session of a person, and take longer than anybody waits. */
export const mostTasks = 5000

/** The tasks of a scenario in the order in which they happen; a text says why there are none. */
export function planScenario({ steps }: Scenario): readonly Task[] | string {
  const tasks: Task[] = []
  let nowSec = 0
  for (const step of steps) {
    if (countTasks(step) + tasks.length > mostTasks) return `this would be more than ${mostTasks} turns and other tasks`
    tasks.push(...tasksOf(step, nowSec))
    nowSec += lengthSec(step)
  }
  tasks.push({ atSec: nowSec, act: { type: 'end' } })
  // What is over is over before anything else of the same moment; otherwise the steps keep their order.
  return tasks
    .filter(({ atSec }) => atSec <= nowSec)
    .toSorted((a, b) => a.atSec - b.atSec || Number(isEnding(b)) - Number(isEnding(a)))
}

function isEnding({ act }: Task): boolean {
  return act.type === 'effect-ends' || act.type === 'awake'
}

function countTasks(step: Step): number {
  const moments = 'repeated' in step && step.repeated ? Math.ceil(step.repeated.forSec / step.repeated.everySec) : 1
  return moments * ('windows' in step ? step.windows.length : 1)
}

function lengthSec(step: Step): number {
  if (step.type === 'wait' || step.type === 'sleep') return step.forSec
  return 'repeated' in step && step.repeated ? step.repeated.forSec : 0
}

function tasksOf(step: Step, nowSec: number): Task[] {
  const now = (act: Act): Task[] => [{ atSec: nowSec, act }]
  switch (step.type) {
    case 'start':
      return step.windows.map((window) => ({ atSec: nowSec, act: { type: 'start', window } }))
    case 'turn':
      return momentsOf(step.repeated, nowSec).flatMap((atSec) =>
        step.windows.map((window): Task => ({ atSec, act: { type: 'turn', window } })),
      )
    case 'scheduled-task':
      return momentsOf(step.repeated, nowSec).map((atSec) => ({ atSec, act: { type: 'scheduled-task' } }))
    case 'wait':
      return []
    case 'sleep': {
      const untilSec = nowSec + step.forSec
      return [...now({ type: 'sleep', untilSec }), { atSec: untilSec, act: { type: 'awake' } }]
    }
    case 'effect': {
      const { effect } = step
      const untilSec = nowSec + step.forSec
      return [
        ...now({ type: 'effect-begins', effect, untilSec }),
        { atSec: untilSec, act: { type: 'effect-ends', effect } },
      ]
    }
    default:
      return now(step)
  }
}

/** `every 5m for 1h` begins at once and ends before the hour is over, so that what follows has its own moment. */
function momentsOf(repeated: Repetition | undefined, nowSec: number): number[] {
  if (!repeated) return [nowSec]
  const { everySec, forSec } = repeated
  return Array.from({ length: Math.ceil(forSec / everySec) }, (_, index) => nowSec + index * everySec)
}
