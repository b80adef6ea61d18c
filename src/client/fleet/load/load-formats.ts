import type { PlayedFleet } from '../report/played-choice.ts'
import { renderK6 } from './render-k6.ts'
import { renderLocust } from './render-locust.ts'

/** Load engines, and the scenario that each of them takes. */
export const loadFormats = {
  k6: { summary: 'a script for k6', render: renderK6 },
  locust: { summary: 'a locustfile for Locust', render: renderLocust },
} as const satisfies Readonly<
  Record<string, { readonly summary: string; readonly render: (fleet: PlayedFleet) => string }>
>

/** The name of a load engine. */
export type LoadFormat = keyof typeof loadFormats

export const loadFormatNames = Object.keys(loadFormats) as readonly LoadFormat[] // the keys of the table
