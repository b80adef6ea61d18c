import type { PlayedFleet } from '../report/played-choice.ts'
import { renderK6 } from './render-k6.ts'
import { renderLocust } from './render-locust.ts'

/** Load engines, and how the scenario is written that each of them takes. */
export const loadFormats = { k6: renderK6, locust: renderLocust } as const satisfies Readonly<
  Record<string, (fleet: PlayedFleet) => string>
>

/** The name of a load engine. */
export type LoadFormat = keyof typeof loadFormats

export const loadFormatNames = Object.keys(loadFormats) as readonly LoadFormat[] // the keys of the table
