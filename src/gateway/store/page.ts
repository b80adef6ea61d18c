/** What a list is asked for: items behind `after`, at most `limit` of them. */
export interface PageQuery {
  readonly after: number
  readonly limit: number | undefined
}

/** A part of a list. */
export interface Page {
  /** Items as JSON, with commas between them. */
  readonly items: string
  /** The number of the last item, where others come behind it. */
  readonly continuesAfter: number | undefined
}
