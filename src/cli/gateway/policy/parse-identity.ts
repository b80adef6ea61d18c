import { HelperError } from '../../../runtime/failure.ts'
import { parseObject } from '../../../runtime/parse-object.ts'
import { parseJwt } from '../../../runtime/tokens/jwt.ts'
import { toCallerClaims } from '../../../verify/aws/to-caller-claims.ts'
import type { Identity } from '../../../verify/verdict.ts'
import { requireToken } from '../../verify/input/require-token.ts'

/**
 * Whom a text would stand for if everything about it held: claims as JSON, what the AWS CLI says of a caller, or a JWT.
 * @throws {HelperError} `usage` for anything else; the message repeats nothing of it.
 */
export function parseIdentity(text: string): Identity {
  const members = parseObject(text.trim())
  if (typeof members?.iss === 'string') return fromClaims(members)
  if (typeof members?.Arn === 'string') return fromCaller(members.Arn, members)
  const claims = parseJwt(requireToken(text).token.reveal())?.claims
  if (claims) return fromClaims(claims)
  throw new HelperError(
    'usage',
    'what was given is neither a JWT nor claims with iss',
    'give the claims as JSON; for a proof of an AWS identity give what `aws sts get-caller-identity` prints',
  )
}

function fromClaims(claims: Readonly<Record<string, unknown>>): Identity {
  return {
    kind: 'jwt',
    issuer: String(claims.iss),
    subject: String(claims.sub),
    claims,
    issuedAt: undefined,
    expiresAt: Number.POSITIVE_INFINITY,
  }
}

function fromCaller(arn: string, { Account: account, UserId: userId }: Readonly<Record<string, unknown>>): Identity {
  const partition = arn.split(':')[1] ?? ''
  return {
    kind: 'aws-identity',
    issuer: 'AWS STS',
    subject: arn,
    claims: toCallerClaims({ arn, account: String(account), userId: String(userId) }, partition),
    issuedAt: undefined,
    expiresAt: Number.POSITIVE_INFINITY,
  }
}
