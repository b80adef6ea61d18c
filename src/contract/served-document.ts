/**
 * The rules by which a client keeps a document that a configuration server gives it. The client's documentation has these numbers; that a
 * client without a document asks again on the same interval is our assumption.
 */
export const servedDocumentRules = {
  /** How long a client waits for the whole answer. */
  answerSec: 30,
  /** The largest answer that a client takes. */
  answerBytes: 1024 * 1024,
  /** How often a client asks in the background, besides the moment of `expiresAt`. */
  checkEverySec: 30 * 60,
  /** A client that has been told of a changed document restarts by itself when nobody has used it for so long. */
  restartsWhenIdleSec: 2 * 60,
  /** How long after a changed document the client blocks until it has restarted; `relaunchEnforcementHours`. */
  enforcementHours: { default: 1, most: 336 },
} as const

/** The `$schemaVersion` of a document in the nested form. The client's documentation has this number. */
export const nestedSchemaVersion = 2
