import type { ConfigDocument } from '../../../config/document.ts'
import { renderDuration } from '../../duration.ts'
import { changeDocument } from '../scenario/change-document.ts'
import type { Action } from '../scenario/plan-scenario.ts'
import type { Effect, PersonState } from '../scenario/scenario.ts'
import type { Conditions, GatewayControls } from './world-settings.ts'

/** The state around a simulated client, which a scenario changes. */
export interface SimulationState {
  document: ConfigDocument
  person: PersonState
  laptop: 'awake' | 'asleep'
  readonly conditions: Conditions
  readonly gateway: GatewayControls | undefined
}

/** Actions that change the state around the client, not the client itself. */
type StateAction = Exclude<Action, { type: 'start' | 'turn' | 'scheduled-task' | 'relaunch' | 'probe' | 'setup-test' }>

/** Changes the state and returns the change in words. `now` in epoch milliseconds. */
export function applyAction(action: StateAction, state: SimulationState, now: number): string {
  switch (action.type) {
    case 'sleep':
      state.laptop = 'asleep'
      return 'the laptop sleeps'
    case 'awake':
      state.laptop = 'awake'
      return 'the laptop wakes up'
    case 'revoke':
      state.gateway?.revokeAll()
      return 'every token is revoked'
    case 'revoke-sign-in':
      state.conditions.signIn = 'revoked'
      return "the provider ends the person's sign-in"
    case 'person':
      state.person = action.is
      return `the person ${personWords[action.is]}`
    case 'document-changes': {
      const changed = changeDocument(state.document, action.values, now)
      if (typeof changed !== 'string') state.document = changed // planDocuments has tried the change
      return `the document is changed: ${Object.keys(action.values).join(', ')}`
    }
    case 'effect-begins':
      begin(action.effect, state)
      return describeEffect(action.effect)
    case 'effect-ends':
      end(action.effect, state)
      return effectEnds[action.effect.of]
    case 'end':
      return 'the scenario ends'
  }
}

const personWords = { agrees: 'agrees to what is asked', declines: 'declines what is asked', away: 'is away' } as const

function begin(effect: Effect, { conditions, gateway }: SimulationState): void {
  if (effect.of === 'network') conditions.network = 'down'
  else if (effect.of === 'provider') conditions.provider = 'down'
  else if (effect.of === 'helper') conditions.helperDelaySec = effect.takesSec
  else if (gateway && effect.of === 'stream') gateway.failureMode.silentMs = effect.silentSec * 1000
  else if (gateway && effect.of === 'gateway') gateway.failureMode.status = effect.status
}

function end(effect: Effect, { conditions, gateway }: SimulationState): void {
  if (effect.of === 'network') conditions.network = 'up'
  else if (effect.of === 'provider') conditions.provider = 'up'
  else if (effect.of === 'helper') conditions.helperDelaySec = 0
  else if (effect.of === 'stream') delete gateway?.failureMode.silentMs
  else delete gateway?.failureMode.status
}

function describeEffect(effect: Effect): string {
  switch (effect.of) {
    case 'network':
      return 'the network is down'
    case 'provider':
      return 'the identity provider is down'
    case 'gateway':
      return `the gateway answers ${effect.status}`
    case 'stream':
      return `answers are silent for ${renderDuration(effect.silentSec)}`
    case 'helper':
      return `helpers take ${renderDuration(effect.takesSec)} longer`
  }
}

const effectEnds: Readonly<Record<Effect['of'], string>> = {
  network: 'the network is back',
  provider: 'the identity provider is back',
  gateway: 'the gateway answers as before',
  stream: 'answers come at once again',
  helper: 'helpers are as fast as before',
}
