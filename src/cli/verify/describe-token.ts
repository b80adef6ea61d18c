import { findPlatformSecret, platformSecrets } from '../../contract/api-keys.ts'
import { findKeyService, findLongTermService } from '../../contract/aws/keys.ts'
import { parseAwsKey } from '../../runtime/tokens/aws-key-facts.ts'
import { type Jwt, parseJwt } from '../../runtime/tokens/jwt.ts'
import { describeJwtPurpose } from '../../runtime/tokens/jwt-purpose.ts'
import { identityProofTitle, type ProofFacts, parseProofFacts } from '../../runtime/tokens/proof-facts.ts'
import { detectTokenKind, type TokenKind } from '../../runtime/tokens/token-kind.ts'
import { latestSec } from '../../runtime/values/duration.ts'
import { type Description, type Fact, renderValue, selectClaims, type TokenLife } from './shown-claims.ts'

/**
 * Describes a token of any kind by its statements.
 * @param wanted The names of further claims to show.
 */
export function describeToken(token: string, wanted: readonly string[] = []): Description {
  const kind = detectTokenKind(token)
  return { kind, ...describers[kind](token, wanted) }
}

type TokenDescription = Omit<Description, 'kind'>

type Describe = (token: string, wanted: readonly string[]) => Omit<Description, 'kind'>

const forms = { url: 'a presigned URL', vault: 'a login of Vault' } as const

const describers: Readonly<Record<TokenKind, Describe>> = {
  jwt: describeJwt,
  'damaged-jwt': () =>
    describeBare('a damaged JWT', 'it begins like a JWT and cannot be read: a part was lost or changed'),
  'encrypted-jwt': () => describeBare('an encrypted JWT (JWE)', 'only whom it is for can read it'),
  'aws-identity': describeProof,
  'aws-short-term-key': describeShortTermKey,
  'aws-long-term-key': describeLongTermKey,
  'platform-secret': describePlatformSecret,
  opaque: () => describeBare('an opaque token', 'it states nothing: only whoever issued it can say what it is'),
}

/** Describes a JWT; see {@link describeToken}. */
function describeJwt(token: string, wanted: readonly string[]): Omit<Description, 'kind'> {
  const jwt = parseJwt(token) ?? { header: {}, claims: {}, signature: '' }
  const { facts, hidden } = selectClaims(jwt.claims, wanted)
  const header = ['alg', 'kid', 'typ'].filter((name) => Object.hasOwn(jwt.header, name))
  const signed = header.map((name) => ({ name: `${name} (header)`, value: renderValue(jwt.header[name]) }))
  return {
    title: describeJwtPurpose(jwt),
    facts: [...facts, ...signed],
    hidden,
    life: toLife(jwt.claims),
    warnings: listWarnings(jwt),
  }
}

function toLife(claims: Jwt['claims']): TokenLife {
  const [issuedAt, notBefore, expiresAt] = ['iat', 'nbf', 'exp'].map((name) => toMs(claims[name]))
  return { issuedAt, notBefore, expiresAt, ...(expiresAt !== undefined && { source: 'exp' }) }
}

function toMs(sec: unknown): number | undefined {
  return typeof sec === 'number' && sec >= 0 && sec <= latestSec ? sec * 1000 : undefined
}

function listWarnings({ header, claims, signature }: Jwt): string[] {
  const warnings: string[] = []
  if (header.alg === 'none' || signature === '') warnings.push('it is not signed: anybody can write such a token')
  if (claims.exp === undefined) warnings.push('it does not say when it ends (exp)')
  if (/^HS\d/.test(String(header.alg)))
    warnings.push('it is signed with a shared secret (HMAC): whoever can verify it can also make one')
  if (['jku', 'x5u', 'jwk', 'x5c'].some((name) => Object.hasOwn(header, name)))
    warnings.push('its header brings a key, or the address of one, which nobody must trust')
  if (Object.hasOwn(claims, 'cnf'))
    warnings.push('it is bound to a key (cnf): alone it is of no use to a gateway that checks that')
  return warnings
}

/** Describes a proof of an AWS identity: a signed `GetCallerIdentity` request that was not sent. */
function describeProof(token: string): TokenDescription {
  const proof = parseProofFacts(token)
  const title = identityProofTitle
  if (!proof) return { title, facts: [], hidden: [], life: {}, warnings: [unreadableRequest] }
  return {
    title,
    facts: [{ name: 'form', value: forms[proof.form] }, ...listProofFacts(proof)],
    hidden: [],
    life: { issuedAt: proof.signedAt, expiresAt: proof.expiresAt, source: 'X-Amz-Date' },
    warnings: [],
  }
}

function listProofFacts({ prefix, host, region, accessKeyId, credentials, audience }: ProofFacts): Fact[] {
  const facts = { prefix, host, region, 'access key id': accessKeyId }
  const named = Object.entries(facts).filter(([, value]) => value !== '')
  return [
    ...named.map(([name, value]) => ({ name, value: renderKeyId(value) })),
    toSigner(credentials),
    ...(audience.length === 0
      ? [{ name: 'audience', value: 'none is signed: any server can use it' }]
      : audience.map(toAudience)),
  ]
}

const unreadableRequest = 'no signed request can be read out of it'

function toSigner(credentials: ProofFacts['credentials']): Fact {
  const value = credentials === 'temporary' ? 'temporary credentials, as of a role' : 'the long-term key of a user'
  return { name: 'signed with', value }
}

/** Access key ids are shown: they begin like a credential, but are not secret. */
function renderKeyId(value: string): string {
  return /^(AKIA|ASIA)[A-Z0-9]{12,28}$/.test(value) ? value : renderValue(value)
}

function toAudience({ header, value }: ProofFacts['audience'][number]): Fact {
  const stated =
    value === undefined ? 'its value is signed, and stands in the request that the server makes' : renderValue(value)
  return { name: `audience (${renderValue(header)})`, value: stated }
}

function describeShortTermKey(token: string): TokenDescription {
  const service = findKeyService(token)
  const facts = parseAwsKey(token, {})
  const title = `a short-term ${service?.key ?? 'key'}`
  const warnings = facts ? [] : [unreadableRequest]
  const named = { service: service?.name ?? '', region: facts?.region ?? '' }
  const shown = Object.entries(named).filter(([, value]) => value !== '')
  return {
    title,
    facts: [
      ...shown.map(([name, value]) => ({ name, value: renderValue(value) })),
      ...(facts ? [toSigner(facts.session === undefined ? 'permanent' : 'temporary')] : []),
    ],
    hidden: [],
    life: facts
      ? { issuedAt: facts.signedAt, expiresAt: facts.signedAt + facts.expiresSec * 1000, source: 'X-Amz-Expires' }
      : {},
    warnings:
      facts?.session === undefined
        ? warnings
        : [...warnings, 'it ends with the credentials that it was made with, if these end earlier'],
  }
}

function describeLongTermKey(token: string): TokenDescription {
  return {
    title: `a long-term ${findLongTermService(token)?.key ?? 'key'}`,
    facts: [],
    hidden: [],
    life: {},
    warnings: [
      'it works for whoever holds it, until somebody deletes it or until an end that it does not state; short-term keys end by themselves',
    ],
  }
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

/**
 * Draws the elapsed part of a token's life, in the width between the dates; `undefined` for a token without both ends, and without room.
 */
export function renderLifeLine(
  { issuedAt, notBefore, expiresAt }: TokenLife,
  now: number,
  columns: number,
): string | undefined {
  const begin = notBefore ?? issuedAt
  if (begin === undefined || expiresAt === undefined || begin >= expiresAt) return undefined
  const [left, right] = renderEnds(begin, expiresAt)
  const width = Math.min(60, columns - left.length - right.length - 10)
  if (width < 10) return undefined
  const share = (now - begin) / (expiresAt - begin)
  const at = Math.round(share * (width - 1))
  const line = Array.from({ length: width }, (_, index) => (index === at ? marks.now : marks.time)).join('')
  const [before, after] = [share < 0 ? `${marks.now} ` : '', share > 1 ? ` ${marks.now}` : '']
  const inside = before || after ? marks.time.repeat(width - 2) : line
  return `${left} ${before}${marks.begin}${inside}${marks.end}${after} ${right}`
}

const marks = { begin: '├', time: '─', now: '●', end: '┤' } as const

/** Renders both ends of the line; without the day if both are on the same day. */
function renderEnds(begin: number, end: number): [string, string] {
  const [from, to] = [begin, end].map((at) =>
    new Date(at)
      .toISOString()
      .replace('T', ' ')
      .replace(/\.\d+Z$/, ''),
  )
  const [day] = from!.split(' ')
  return [from!, to!.startsWith(`${day} `) ? to!.slice(11) : to!]
}
