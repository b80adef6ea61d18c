// Folder: the proofs of whoever sends a token that is bound to a certificate or a key.

/** The scheme in which a token was sent (RFC 9449, section 7.1). */
export type TokenScheme = 'Bearer' | 'DPoP'

/** How a token came: the verifier reads more of the request only where the token is bound. */
export interface TokenSender {
  readonly scheme: TokenScheme
  readonly read: () => SenderFacts
}

/** The facts that a request shows about its sender, as the gateway passes them on. A fact that it does not pass is `undefined`. */
export interface SenderFacts {
  /** SHA-256 of the client certificate, in base64url. */
  readonly certificate?: string | undefined
  /** Every line of the header `DPoP`. */
  readonly proofs: readonly string[]
  /** The request as its client has sent it. The host may have a port. */
  readonly method?: string | undefined
  readonly host?: string | undefined
  /** The path, with the query if there is one. */
  readonly path?: string | undefined
}

/** The sender of a token that is examined without a request; bound tokens do not pass. */
export const unknownSender: TokenSender = { scheme: 'Bearer', read: () => ({ proofs: [] }) }
