/** A JWT in its compact form (RFC 7519, section 3), parsed; nothing of it is verified. */
export interface SignedJwt {
  readonly text: string
  /** What the signature covers (RFC 7515, section 2). */
  readonly signingInput: string
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
}
