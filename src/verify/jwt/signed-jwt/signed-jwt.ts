/** A JWT in its compact form (RFC 7519, section 3), parsed; nothing of it is verified. */
export interface SignedJwt {
  readonly text: string
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
}
