import type { ClientEvent } from '../../src/client/client-event.ts'

/** An event outside the client. */
export interface OutsideEvent {
  readonly type: 'outside'
  readonly who: 'administrator' | 'api' | 'doctor' | 'model' | 'person' | 'platform'
  readonly text: string
  readonly at: number
}

/** Whatever happens in a scene of the demo. */
export type SceneEvent = ClientEvent | OutsideEvent
