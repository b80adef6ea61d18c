/** A request for a part of a list: at most `limit` items, or all of them, after the item with the number `after`. */
export interface PageQuery {
  readonly after: number
  readonly limit: number | undefined
}

/** A part of a list. */
export interface Page {
  /** The items as JSON, separated by commas. */
  readonly items: string
  /** The number of the last item, if other items follow it. */
  readonly continuesAfter: number | undefined
}
