/** Bounds on what crosses the process boundary. `headers`, `headerValueBytes` and `tokenBytes` are our decision. */
export const limits = {
  /** The client stops reading stdout here. Seen in a published build. */
  stdoutBytes: 8 * 1024 * 1024,
  /** The client keeps this much of the end of stderr. Seen in a published build. */
  stderrTailBytes: 64 * 1024,
  tokenBytes: 64 * 1024,
  headers: 32,
  headerValueBytes: 8 * 1024,
  argumentLength: 1024,
  /** Longest `timeoutSec` that a document may ask for. Specification. */
  timeoutSec: 600,
} as const

/** The client's defaults for fields that are not set. Specification. */
export const clientDefaults = { ttlSec: 3600, timeoutSec: 60, silentRefreshEnabled: true } as const

/** In seconds, the longest that the client waits in `mid-session-refresh`, whatever `timeoutSec` says. Client documentation. */
export const midSessionTimeoutSec = 20

/** With a ttl of this many seconds or less the client skips its check before each turn. Specification. */
export const perTurnCheckAboveTtlSec = 120

/** In seconds, the `timeoutSec` for a helper that signs people in, because a second factor takes longer than the default. Our decision. */
export const suggestedTimeoutSec = 300
