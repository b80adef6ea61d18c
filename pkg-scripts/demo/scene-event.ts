import type { ClientEvent } from '../../src/client/timeline/client-event.ts'

/** Something that happens to others than the client. */
export interface Aside {
  readonly type: 'aside'
  readonly who: 'administrator' | 'api' | 'platform'
  readonly text: string
  readonly at: number
}

export type SceneEvent = ClientEvent | Aside
