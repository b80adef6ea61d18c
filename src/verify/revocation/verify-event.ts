import { toObject } from '../../runtime/values/json-value.ts'
import { checkSignature } from '../jwt/check-signature.ts'
import { findFailedCheck, toFacts } from '../jwt/examine-jwt.ts'
import { claimChecks, headerChecks, unstatedExpiry, unstatedIssue } from '../jwt/jwt-checks.ts'
import type { KeyFinder } from '../jwt/key-finder.ts'
import { parseSignedJwt } from '../jwt/parse-signed-jwt.ts'
import { findFailed, refuseFailed } from '../jwt/verify-jwt.ts'
import type { JwtTrust, Policy } from '../policy/policy.ts'
import { TokenRefusal } from '../verdict.ts'
import { longestEntryText, type Revocation, type RevokedKind } from './revocation.ts'

/**
 * Verifies an event of a provider like any other token: its form, issuer, type, algorithm, key, signature, audience and times.
 * @returns The tokens that it ends; empty for an event that ends no token.
 * @throws {TokenRefusal}
 */
export async function verifyEvent(
  form: EventForm,
  token: string,
  { policy, keys, now }: EventContext,
): Promise<{ issuer: string; revocations: readonly Revocation[] }> {
  const jwt = parseSignedJwt(token)
  if ('problem' in jwt) throw new TokenRefusal('malformed', { note: jwt.problem })
  const hasType = 'typ' in jwt.header
  const trusts = policy.jwt.flatMap((trust) => toEventTrust(trust, hasType ? types[form] : untyped[form]))
  const facts = toFacts(jwt, { trusts, keys, now, clockSkewSec: policy.clockSkewSec })
  refuseFailed(findFailedCheck(headerChecks, facts), 'operator')
  refuseFailed(findFailed(await checkSignature(jwt, { trust: facts.trust, keys })), 'operator')
  const { audience, 'not before': notBefore, 'issued at': issuedAt, expiry } = claimChecks
  const times = { 'not before': notBefore, 'issued at': issuedAt, ...('exp' in jwt.claims && { expiry }) }
  refuseFailed(findFailedCheck({ audience, ...times }, facts), 'operator')
  const longestLifeSec = facts.trust?.longestLifeSec ?? assumedLifeSec
  const parsed = parseEvent(form, { claims: jwt.claims, longestLifeSec })
  if ('problem' in parsed) throw new TokenRefusal('malformed', { note: parsed.problem })
  return { issuer: String(jwt.claims.iss), revocations: parsed.revocations }
}

/** The assumed life of tokens whose issuer has no limit in the policy, in seconds. Our decision. */
const assumedLifeSec = 31 * 24 * 3600

interface EventContext {
  readonly policy: Pick<Policy, 'jwt' | 'clockSkewSec'>
  readonly keys: KeyFinder
  /** Epoch milliseconds. */
  readonly now: number
}

/**
 * The values of `typ`. Logout tokens of older providers have `JWT` or no `typ`; an access token cannot be mistaken for one, because it
 * lacks `events`.
 */
const types = { 'logout token': ['logout+jwt', 'JWT'], 'security event': ['secevent+jwt'] } as const
const untyped = { 'logout token': undefined, 'security event': types['security event'] } as const

/** An issuer for which the policy names no event audience cannot send events. */
function toEventTrust(trust: JwtTrust, accepted: readonly string[] | undefined): JwtTrust[] {
  const { eventAudiences: audiences, types: _, ...shared } = trust
  return audiences ? [{ ...shared, audiences, ...(accepted && { types: accepted }) }] : []
}

/** The two forms of events: a logout token, and a security event token (RFC 8417). */
export type EventForm = 'logout token' | 'security event'

interface ProviderEvent {
  /** The claims of a token with a valid signature, including `iss`. */
  readonly claims: Readonly<Record<string, unknown>>
  /** How long the issuer's tokens live, in seconds. */
  readonly longestLifeSec: number
}

/** Parses the claims of a verified event, or describes what is wrong with it; pure. */
function parseEvent(form: EventForm, { claims, longestLifeSec }: ProviderEvent): ParsedEvent {
  const { iss, jti, iat } = claims
  if (typeof iss !== 'string' || typeof jti !== 'string' || jti === '') return { problem: 'it has no jti' }
  if (typeof iat !== 'number') return { problem: unstatedIssue }
  const parsed = form === 'logout token' ? parseLogout(claims) : parseSecurityEvents(claims)
  if ('problem' in parsed) return parsed
  return {
    revocations: parsed.ended.map(({ kind, value, atSec = iat }) => ({
      kind,
      value,
      issuer: iss,
      before: kind === 'token' ? Infinity : atSec * 1000,
      until: (atSec + longestLifeSec + outliveSec) * 1000,
    })),
  }
}

/** The tokens that an event ends; empty for an event that ends no token. */
type ParsedEvent = { readonly revocations: readonly Revocation[] } | { readonly problem: string }

/** If clocks differ, tokens pass for a little longer than they live. Our decision. */
const outliveSec = 600

interface Ended {
  readonly kind: RevokedKind
  readonly value: string
  /** The time of the event in seconds since 1970; the time of issue if absent. */
  readonly atSec?: number | undefined
}

type ParsedForm = { readonly ended: readonly Ended[] } | { readonly problem: string }

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'

/** Parses a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.6). */
function parseLogout({ events, nonce, sid, sub, exp }: ProviderEvent['claims']): ParsedForm {
  if (!Object.hasOwn(toObject(events), logoutEvent)) return { problem: 'it is not a logout token (events)' }
  if (nonce !== undefined) return { problem: 'it has a nonce, which only an ID token has' }
  if (exp === undefined) return { problem: unstatedExpiry }
  // With `sid`, one session ends; without it, all sessions of the person end.
  if (isText(sid)) return { ended: [{ kind: 'session', value: sid }] }
  if (isText(sub)) return { ended: [{ kind: 'subject', value: sub }] }
  return { problem: 'it names neither a session (sid) nor a person (sub)' }
}

const caep = 'https://schemas.openid.net/secevent/caep/event-type/'
const risc = 'https://schemas.openid.net/secevent/risc/event-type/'

/** The events that make earlier tokens invalid; other events of CAEP 1.0 and RISC 1.0 end no token. */
const endingEvents: readonly string[] = [
  `${caep}session-revoked`,
  `${caep}credential-change`,
  `${caep}token-claims-change`,
  `${risc}account-disabled`,
  `${risc}account-purged`,
  `${risc}account-credential-change-required`,
  `${risc}credential-compromise`,
  `${risc}sessions-revoked`,
]

function parseSecurityEvents(claims: ProviderEvent['claims']): ParsedForm {
  const events = Object.entries(toObject(claims.events))
  if (events.length === 0) return { problem: 'it has no events' }
  const ended: Ended[] = []
  for (const [type, value] of events) {
    const event = toObject(value)
    if (!endingEvents.includes(type) || isAddition(type, event)) continue
    // RFC 9493 names the subject in `sub_id`; earlier transmitters have it in the event.
    const found = listSubjects(claims.sub_id ?? event.subject, claims.iss)
    if (found.length === 0) return { problem: 'its subject has a form that is not supported, or is of another issuer' }
    const atSec = findTime(event, claims)
    ended.push(...found.map((each) => ({ ...each, atSec })))
  }
  return { ended }
}

/** A new credential ends no session (CAEP 1.0, section 3.3.1). */
function isAddition(type: string, { change_type: change }: Readonly<Record<string, unknown>>): boolean {
  return type === `${caep}credential-change` && change === 'create'
}

/** Finds the time of the event: CAEP's `event_timestamp`, or `toe` (RFC 8417, section 2.2). A time after `iat` is ignored. */
function findTime({ event_timestamp: at }: Readonly<Record<string, unknown>>, { toe, iat }: ProviderEvent['claims']) {
  return [at, toe].find((each) => typeof each === 'number' && each >= 0 && each <= Number(iat)) as number | undefined
}

/**
 * Lists the tokens that a subject identifier names (RFC 9493; OpenID Shared Signals Framework 1.0 for `jwt_id` and for complex subjects).
 */
function listSubjects(identifier: unknown, issuer: unknown): Ended[] {
  const { format, iss, sub, id, email, jti, identifiers, session, user } = toObject(identifier)
  switch (format) {
    case 'iss_sub':
      return iss === issuer && isText(sub) ? [{ kind: 'subject', value: sub }] : []
    case 'opaque':
      return isText(id) ? [{ kind: 'subject', value: id }] : []
    case 'email':
      return isText(email) ? [{ kind: 'email', value: email }] : []
    case 'jwt_id':
      return iss === issuer && isText(jti) ? [{ kind: 'token', value: jti }] : []
    case 'aliases':
      return Array.isArray(identifiers) ? identifiers.slice(0, maxAliases).flatMap((each) => listOne(each, issuer)) : []
    case undefined:
    case 'complex': {
      const { format: form, id: sid } = toObject(session)
      if (form === 'opaque' && isText(sid)) return [{ kind: 'session', value: sid }]
      return listOne(user, issuer)
    }
    default:
      return []
  }
}

const maxAliases = 10

/** An identifier inside another identifier must be a simple one (RFC 9493). */
function listOne(identifier: unknown, issuer: unknown): Ended[] {
  const { format } = toObject(identifier)
  return format === 'aliases' || format === 'complex' || format === undefined ? [] : listSubjects(identifier, issuer)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= longestEntryText
}
