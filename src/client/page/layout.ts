/** How a mark looks: each tone has a shape and a colour. */
export type Tone = 'good' | 'neutral' | 'caution' | 'bad'

/** A mark on a lane, for a moment or, with `untilAt`, for a while. Times are in epoch milliseconds. */
export interface Mark {
  readonly at: number
  readonly untilAt?: number
  readonly tone: Tone
  /** How many runs of a helper began here; shown if there are several. */
  readonly runs?: number
  /** What it means, a line for each event. */
  readonly lines: readonly string[]
}

/** A row of the timeline. */
export interface Lane {
  readonly name: string
  readonly marks: readonly Mark[]
}

/** The timeline of a simulation before it is drawn. */
export interface Layout {
  readonly startAt: number
  readonly endAt: number
  readonly lanes: readonly Lane[]
}
