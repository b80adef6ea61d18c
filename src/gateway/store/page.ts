/** A request for a part of a list: at most `limit` items, or all of them, after the item with the number `after`. */
export interface PageQuery {
  readonly after: number
  readonly limit: number | undefined
}

/** The part of a list of records after the number `after` and before the number `before`, in the order of creation. */
export interface RecordRange {
  readonly after?: number
  readonly before?: number
  /** How many records: the first ones of the part, but with `before` the last ones. If absent, all. */
  readonly limit?: number
}

/** A part of a list. */
export interface Page {
  /** The items as JSON, separated by commas. */
  readonly items: string
  /** The number of the last item, if other items follow it. */
  readonly continuesAfter: number | undefined
}
