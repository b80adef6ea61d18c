/** Bounds on what crosses the process boundary. `headers`, `headerValueBytes` and `tokenBytes` are our decision. */
export const limits = {
  /** The client reads at most this much of stdout (observed in a published build). */
  stdoutBytes: 8 * 1024 * 1024,
  /** The client keeps this much of the end of stderr (observed in a published build). */
  stderrTailBytes: 64 * 1024,
  tokenBytes: 64 * 1024,
  headers: 32,
  headerValueBytes: 8 * 1024,
  argumentLength: 1024,
  /** The longest `timeoutSec` in a document (specification). */
  timeoutSec: 600,
} as const

/** The client's defaults for unset fields (specification). */
export const clientDefaults = { ttlSec: 3600, timeoutSec: 60, silentRefreshEnabled: true } as const

/** The client's longest wait in `mid-session-refresh` in seconds, whatever `timeoutSec` is (client documentation). */
export const midSessionTimeoutSec = 20

/** With a ttl of at most this many seconds the client makes no check before each turn (specification). */
export const perTurnCheckAboveTtlSec = 120

/** The suggested `timeoutSec` for a helper that signs people in, because a second factor takes longer than the default. Our decision. */
export const suggestedTimeoutSec = 300

/**
 * In milliseconds: how long a call from a memo waits for a disk or a reader. Then the whole program waits, with a deadline and messages.
 * Our decision.
 */
export const patienceMs = 100

/**
 * In seconds from the start of the process: how long a call waits for a file with its settings. The file may be the one with the client's
 * timeout. Our decision.
 */
export const longestReadSec = 10
