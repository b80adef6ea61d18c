import type { DocumentValues, Effect, PersonState, Repetition, Scenario, Step } from './scenario.ts'

/** An action and its time, relative to the start of the scenario. */
export interface Task {
  readonly atSec: number
  readonly action: Action
}

/** An action of a scenario on a simulated client. */
export type Action =
  | { readonly type: 'start' | 'turn'; readonly window: number }
  | { readonly type: 'scheduled-task' }
  /** The laptop sleeps until then, and nothing on it runs. */
  | { readonly type: 'sleep'; readonly untilSec: number }
  | { readonly type: 'awake' | 'end' }
  | { readonly type: 'relaunch' | 'probe' | 'setup-test' }
  | { readonly type: 'revoke' | 'revoke-sign-in' }
  | { readonly type: 'person'; readonly is: PersonState }
  | { readonly type: 'document-changes'; readonly values: DocumentValues }
  | { readonly type: 'effect-begins'; readonly effect: Effect; readonly untilSec: number }
  | { readonly type: 'effect-ends'; readonly effect: Effect }

/** Plans the tasks of a scenario in order of time; returns the problem as text if there are too many. */
export function planScenario({ steps }: Scenario): readonly Task[] | string {
  const tasks: Task[] = []
  let nowSec = 0
  for (const step of steps) {
    if (countTasks(step) + tasks.length > maxTasks)
      return `the scenario has more than ${maxTasks} turns and other tasks`
    tasks.push(...toTasks(step, nowSec))
    nowSec += computeLengthSec(step)
  }
  tasks.push({ atSec: nowSec, action: { type: 'end' } })
  // At equal times the end of an effect comes first; otherwise the steps keep their order.
  return tasks
    .filter(({ atSec }) => atSec <= nowSec)
    .toSorted((a, b) => a.atSec - b.atSec || Number(isEnding(b)) - Number(isEnding(a)))
}

/** A scenario with more tasks would run too long. */
const maxTasks = 5000

function countTasks(step: Step): number {
  const moments = 'repeated' in step && step.repeated ? Math.ceil(step.repeated.forSec / step.repeated.everySec) : 1
  return moments * ('windows' in step ? step.windows.length : 1)
}

function toTasks(step: Step, nowSec: number): Task[] {
  const now = (action: Action): Task[] => [{ atSec: nowSec, action }]
  switch (step.type) {
    case 'start':
      return step.windows.map((window) => ({ atSec: nowSec, action: { type: 'start', window } }))
    case 'turn':
      return listMoments(step.repeated, nowSec).flatMap((atSec) =>
        step.windows.map((window): Task => ({ atSec, action: { type: 'turn', window } })),
      )
    case 'scheduled-task':
      return listMoments(step.repeated, nowSec).map((atSec) => ({ atSec, action: { type: 'scheduled-task' } }))
    case 'wait':
      return []
    case 'sleep': {
      const untilSec = nowSec + step.forSec
      return [...now({ type: 'sleep', untilSec }), { atSec: untilSec, action: { type: 'awake' } }]
    }
    case 'effect': {
      const { effect } = step
      const untilSec = nowSec + step.forSec
      return [
        ...now({ type: 'effect-begins', effect, untilSec }),
        { atSec: untilSec, action: { type: 'effect-ends', effect } },
      ]
    }
    default:
      return now(step)
  }
}

function computeLengthSec(step: Step): number {
  if (step.type === 'wait' || step.type === 'sleep') return step.forSec
  return 'repeated' in step && step.repeated ? step.repeated.forSec : 0
}

function isEnding({ action }: Task): boolean {
  return action.type === 'effect-ends' || action.type === 'awake'
}

/** Lists the moments of a repetition: `every 5m for 1h` begins at once and excludes the end of the hour, at which the next step begins. */
function listMoments(repeated: Repetition | undefined, nowSec: number): number[] {
  if (!repeated) return [nowSec]
  const { everySec, forSec } = repeated
  return Array.from({ length: Math.ceil(forSec / everySec) }, (_, index) => nowSec + index * everySec)
}
