/**
 * The rules by which a client uses a document from a configuration server. The numbers are in the client's documentation; it is our
 * assumption that a client without a document uses the same interval.
 */
export const servedDocumentRules = {
  /** The limit of the whole answer. */
  answerSec: 30,
  /** The largest answer that a client accepts. */
  answerBytes: 1024 * 1024,
  /** The interval of requests in the background, besides the time of `expiresAt`. */
  checkEverySec: 30 * 60,
  /** How long a client with a changed document must be unused before it restarts by itself. */
  restartsWhenIdleSec: 2 * 60,
  /** How long after a changed document the client blocks until a restart; `relaunchEnforcementHours`. */
  enforcementHours: { default: 1, most: 336 },
} as const

/** The `$schemaVersion` of a document in the nested form (client documentation). */
export const nestedSchemaVersion = 2
