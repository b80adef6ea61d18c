/** An answer over HTTP, whole. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The object that it holds; empty for anything else. */
  readonly members: Readonly<Record<string, unknown>>
  /** When the request was sent, by this machine's clock. */
  readonly sentAt: number
  /** The provider's clock less this machine's, in milliseconds. */
  readonly clockOffsetMs: number
  /** What was sent, and must not be repeated from the answer. */
  readonly secrets: readonly string[]
}
