import type { ClientEvent } from '../../src/client/client-event.ts'

/** An event outside the client. */
export interface OutsideEvent {
  readonly type: 'outside'
  readonly who: 'administrator' | 'api' | 'doctor' | 'model' | 'owner' | 'person' | 'platform' | 'server'
  readonly text: string
  readonly at: number
}

/** Whatever happens in a scene of the demo. */
export type SceneEvent = ClientEvent | OutsideEvent
