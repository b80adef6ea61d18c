/** A JWT as it can be read without verifying it, which is for whoever has the keys. */
export interface Jwt {
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
  readonly signature: string
}

/** Whose a token is and whom it is for: what tells one identity from another, and never what rotates. */
export type Identity = readonly [issuer: unknown, subject: unknown, audience: unknown]

/** Reads the compact form of RFC 7519; `undefined` for anything else. */
export function parseJwt(text: string): Jwt | undefined {
  const [header, claims, signature, ...rest] = text.split('.').map((part) => (isBase64Url(part) ? part : undefined))
  const parsed = { header: parsePart(header), claims: parsePart(claims) }
  if (!parsed.header || !parsed.claims || signature === undefined || rest.length > 0) return undefined
  return { header: parsed.header, claims: parsed.claims, signature }
}

/** `undefined` for what is no JWT. */
export function parseIdentity(text: string): Identity | undefined {
  const jwt = parseJwt(text)
  return jwt && [jwt.claims.iss ?? null, jwt.claims.sub ?? null, jwt.claims.aud ?? null]
}

/** RFC 7515, section 2: no padding. */
function isBase64Url(part: string): boolean {
  return /^[\w-]*$/.test(part)
}

function parsePart(part: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part ?? '', 'base64url').toString())
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined // the parser's message would repeat the token
  }
}
