import { toOneLine } from '../../../runtime/failure.ts'
import { parseJwt } from '../../../runtime/tokens/jwt.ts'
import { describeJwtPurpose } from '../../../runtime/tokens/jwt-purpose.ts'
import { detectTokenKind, type TokenKind } from '../../../runtime/tokens/token-kind.ts'

/** The claims of a token for the comparison with a gateway's requirements; none of them names a person. */
export interface StatedToken {
  readonly kind: TokenKind
  /** A noun with its article. */
  readonly title: string
  /** In quotes; `undefined` if the token does not state it. */
  readonly issuer?: string
  readonly audience?: string
  /** The ARN of an AWS identity. */
  readonly arn?: string
  readonly algorithm?: string
}

/** Parses a token without verifying it. */
export function parseStatedToken(token: string): StatedToken {
  const kind = detectTokenKind(token)
  const jwt = kind === 'jwt' ? parseJwt(token) : undefined
  if (!jwt) return { kind, title: titles[kind] }
  const { iss, aud, sub } = jwt.claims
  const arn = typeof sub === 'string' && sub.startsWith('arn:') ? quoteOnOneLine(sub) : undefined
  const stated = {
    issuer: quoteOnOneLine(iss),
    audience: quoteAll(aud),
    arn,
    algorithm: quoteOnOneLine(jwt.header.alg),
  }
  const known = Object.entries(stated).filter(([, value]) => value !== undefined)
  return { kind, title: describeJwtPurpose(jwt), ...Object.fromEntries(known) }
}

const titles: Readonly<Record<TokenKind, string>> = {
  jwt: 'a JWT',
  'damaged-jwt': 'a damaged JWT',
  'encrypted-jwt': 'an encrypted JWT',
  'aws-identity': 'a proof of an AWS identity',
  'aws-short-term-key': 'a short-term key for a service of AWS',
  'aws-long-term-key': 'a long-term key for a service of AWS',
  'platform-secret': 'a secret of the platform',
  opaque: 'an opaque token',
}

/** Quotes a value, because the issuer of the token may have written anything. */
function quoteOnOneLine(value: unknown): string | undefined {
  return typeof value === 'string' ? toOneLine(JSON.stringify(value.slice(0, 200))) : undefined
}

function quoteAll(value: unknown): string | undefined {
  const texts = [value]
    .flat()
    .slice(0, 5)
    .flatMap((item) => quoteOnOneLine(item) ?? [])
  return texts.length === 0 ? undefined : texts.join(', ')
}
