import { findPlatformSecret, platformSecrets } from '../../../contract/api-keys/platform-secrets.ts'
import { detectTokenKind, type TokenKind } from '../../../runtime/tokens/token-kind.ts'
import { describeLongTermKey, describeProof, describeShortTermKey } from './describe-aws.ts'
import { describeJwt } from './describe-jwt.ts'
import type { Description } from './description.ts'

/** Describes a token of any kind by what it states. @param wanted Names of claims that are shown besides the usual ones. */
export function describeToken(token: string, wanted: readonly string[] = []): Description {
  const kind = detectTokenKind(token)
  return { kind, ...describers[kind](token, wanted) }
}

type Describe = (token: string, wanted: readonly string[]) => Omit<Description, 'kind'>

const describers: Readonly<Record<TokenKind, Describe>> = {
  jwt: describeJwt,
  'damaged-jwt': () =>
    describeBare('a damaged JWT', 'it begins as a JWT and cannot be read: a part was lost or changed'),
  'encrypted-jwt': () => describeBare('an encrypted JWT (JWE)', 'only whom it is for can read it'),
  'aws-identity': describeProof,
  'aws-short-term-key': describeShortTermKey,
  'aws-long-term-key': describeLongTermKey,
  'platform-secret': describePlatformSecret,
  opaque: () => describeBare('an opaque token', 'it states nothing: only whoever issued it can say what it is'),
}

function describeBare(title: string, warning: string): Omit<Description, 'kind'> {
  return { title, facts: [], hidden: [], life: {}, warnings: [warning] }
}

function describePlatformSecret(token: string): Omit<Description, 'kind'> {
  const found = findPlatformSecret(token)
  if (found === undefined || found === 'unknown')
    return describeBare('a secret of the platform, of a kind that this version does not know', onlyPlatform)
  const { title, life } = platformSecrets[found]
  const long = 'it works for whoever holds it, until it is deleted or until an end that it does not state'
  const described = describeBare(title, onlyPlatform)
  return life === 'long' ? { ...described, warnings: [...described.warnings, long] } : described
}

const onlyPlatform = 'it states nothing: only the platform can verify it'
