/** How a mark looks; by its form as well as by its colour. */
export type Tone = 'good' | 'neutral' | 'caution' | 'bad'

/** Something on a lane, at a moment or, with `untilAt`, for a while. */
export interface Mark {
  readonly at: number
  readonly untilAt?: number
  readonly tone: Tone
  /** How many runs of a helper began here; shown where they are several. */
  readonly runs?: number
  /** What a reader is told of it, a line each. */
  readonly lines: readonly string[]
}

export interface Lane {
  readonly name: string
  readonly marks: readonly Mark[]
}

/** A simulation as a picture, before anything is drawn. */
export interface Layout {
  readonly startAt: number
  readonly endAt: number
  readonly lanes: readonly Lane[]
}
