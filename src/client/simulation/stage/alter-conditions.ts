import type { ConfigDocument } from '../../../config/document.ts'
import { renderDuration } from '../../duration.ts'
import { changeDocument } from '../scenario/change-document.ts'
import type { Act } from '../scenario/plan-scenario.ts'
import type { Effect, PersonState } from '../scenario/scenario.ts'
import type { Conditions, GatewayControls } from './simulated-world.ts'

/** What a scenario can change around a client. */
export interface Surroundings {
  document: ConfigDocument
  person: PersonState
  laptop: 'awake' | 'asleep'
  readonly conditions: Conditions
  readonly gateway: GatewayControls | undefined
}

/** Acts that change what is around the client, and not the client itself. */
export type Alteration = Exclude<
  Act,
  { type: 'start' | 'turn' | 'scheduled-task' | 'relaunch' | 'probe' | 'setup-test' }
>

/** Changes the surroundings and says it in words. `now` in epoch milliseconds. */
export function alterSurroundings(act: Alteration, around: Surroundings, now: number): string {
  switch (act.type) {
    case 'sleep':
      around.laptop = 'asleep'
      return 'the laptop sleeps'
    case 'awake':
      around.laptop = 'awake'
      return 'the laptop wakes up'
    case 'revoke':
      around.gateway?.revokeAll()
      return 'every token is revoked'
    case 'person':
      around.person = act.is
      return `the person ${personWords[act.is]}`
    case 'document-changes': {
      const changed = changeDocument(around.document, act.values, now)
      if (typeof changed !== 'string') around.document = changed // the plan has shown that it can be changed so
      return `the document is changed: ${Object.keys(act.values).join(', ')}`
    }
    case 'effect-begins':
      begin(act.effect, around)
      return effectWords(act.effect)
    case 'effect-ends':
      end(act.effect, around)
      return endWords[act.effect.of]
    case 'end':
      return 'the scenario ends'
  }
}

const personWords = { agrees: 'agrees to what is asked', declines: 'declines what is asked', away: 'is away' } as const

function begin(effect: Effect, { conditions, gateway }: Surroundings): void {
  if (effect.of === 'network') conditions.network = 'down'
  else if (effect.of === 'helper') conditions.helperDelaySec = effect.takesSec
  else if (gateway && effect.of === 'stream') gateway.mood.silentMs = effect.silentSec * 1000
  else if (gateway && effect.of === 'gateway') gateway.mood.status = effect.status
}

function end(effect: Effect, { conditions, gateway }: Surroundings): void {
  if (effect.of === 'network') conditions.network = 'up'
  else if (effect.of === 'helper') conditions.helperDelaySec = 0
  else if (effect.of === 'stream') delete gateway?.mood.silentMs
  else delete gateway?.mood.status
}

function effectWords(effect: Effect): string {
  switch (effect.of) {
    case 'network':
      return 'the network is down'
    case 'gateway':
      return `the gateway answers ${effect.status}`
    case 'stream':
      return `answers are silent for ${renderDuration(effect.silentSec)}`
    case 'helper':
      return `helpers take ${renderDuration(effect.takesSec)} longer`
  }
}

const endWords: Readonly<Record<Effect['of'], string>> = {
  network: 'the network is back',
  gateway: 'the gateway answers as before',
  stream: 'answers come at once again',
  helper: 'helpers are as fast as before',
}
