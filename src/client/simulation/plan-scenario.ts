// The tasks of a scenario, and the documents that it needs, before it is played.

import { isDeepStrictEqual } from 'node:util'
import type { ConfigDocument, HelperScriptCredential } from '../../config/document.ts'
import type { OidcSettings } from '../../sources/oauth/oidc/oidc-settings.ts'
import { selectIdentity } from '../credentials/helper-source.ts'
import { isSignIn, toSignInSettings } from '../credentials/sign-in-settings.ts'
import {
  changeDocument,
  type DocumentValues,
  type Effect,
  type PersonState,
  type Repetition,
  type Scenario,
  type Step,
} from './scenario.ts'

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

/**
 * Applies every change in advance, so that a person can consent to every helper and sign-in beforehand; returns the problem as text if a
 * change is invalid.
 */
export function planDocuments(
  document: ConfigDocument,
  scenario: Scenario,
  startAt: number,
): PlannedDocuments | string {
  const first = changeDocument(document, scenario.document, startAt)
  if (typeof first === 'string') return first
  const documents = [first]
  for (const step of scenario.steps) {
    if (step.type !== 'document-changes') continue
    const next = changeDocument(documents.at(-1) ?? first, step.values, startAt)
    if (typeof next === 'string') return next
    documents.push(next)
  }
  return { first, helpers: listDistinctHelpers(documents), providers: listDistinctProviders(documents) }
}

/** The documents of a scenario: the first one, and every helper and provider in any of them. */
interface PlannedDocuments {
  readonly first: ConfigDocument
  readonly helpers: readonly HelperScriptCredential[]
  readonly providers: readonly OidcSettings[]
}

function listDistinctHelpers(documents: readonly ConfigDocument[]): HelperScriptCredential[] {
  const helpers = documents.flatMap(({ inference }) =>
    inference?.credential?.kind === 'helper-script' ? [inference.credential] : [],
  )
  const identities = helpers.map(selectIdentity)
  return helpers.filter(
    (_, index) => identities.findIndex((other) => isDeepStrictEqual(other, identities[index])) === index,
  )
}

function listDistinctProviders(documents: readonly ConfigDocument[]): OidcSettings[] {
  const found = documents.flatMap(({ inference }) => {
    const signIn = isSignIn(inference?.credential) ? toSignInSettings(inference.credential) : undefined
    return signIn && 'clientId' in signIn ? [signIn] : []
  })
  return found.filter((one, index) => found.findIndex((other) => isDeepStrictEqual(one, other)) === index)
}
