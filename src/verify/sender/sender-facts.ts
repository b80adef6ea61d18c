// Folder: proofs of possession by the sender of a token that is bound to a certificate or a key.

/** How a token was sent. `read` is called only if the token is bound. */
export interface TokenSender {
  /** The scheme of the header that held the token (RFC 9449, section 7.1). */
  readonly scheme: 'Bearer' | 'DPoP'
  readonly read: () => SenderFacts
}

/** The facts about the sender that the gateway passes on. A fact that it does not pass is `undefined`. */
export interface SenderFacts {
  /** SHA-256 of the client certificate, in base64url. */
  readonly certificate?: string | undefined
  /** Every line of the header `DPoP`. */
  readonly proofs: readonly string[]
  /** The request as its client sent it. The host may have a port. */
  readonly method?: string | undefined
  readonly host?: string | undefined
  /** The path, with the query if there is one. */
  readonly path?: string | undefined
}

/** The sender of a token that is examined without a request; bound tokens are refused. */
export const unknownSender: TokenSender = { scheme: 'Bearer', read: () => ({ proofs: [] }) }
