/** What is asked of an issuer at most, and how long its keys are used. Our decisions. */
export const keyBounds = {
  /** From this age on, keys are renewed in the background while they are used. */
  renewMs: 5 * 60_000,
  /** Older keys are renewed before they are used, if nobody has tried since: an idle verifier learns that a key is revoked. */
  oldMs: 10 * 60_000,
  /** Keys of an issuer that is away are used no longer. */
  keptMs: 24 * 60 * 60_000,
  /** The shortest time between two requests for the sake of keys that are not known, however many tokens name them. */
  unknownMs: 10_000,
  /** After a failure the issuer is left alone for so long, and what was learnt is said meanwhile. */
  failureMs: 10_000,
  /** For the discovery document and the keys together. */
  answerMs: 5_000,
  /** Of each answer. */
  bytes: 512 * 1024,
  /** How many tokens wait for the keys of one issuer: of more, nobody can tell. */
  waiting: 250,
} as const
