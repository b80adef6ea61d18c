import type { IncomingMessage } from 'node:http'
import type { RefusalReason } from '../../contract/refusal-reasons.ts'
import { HelperError } from '../../runtime/failure.ts'
import { formType, readRequestBody } from '../../runtime/network/server-request.ts'
import type { KeyFinder } from '../jwt/key-finder.ts'
import { longestJwtBytes } from '../jwt/parse-signed-jwt.ts'
import type { Policy } from '../policy/policy.ts'
import { type Revocation, toRevocationId } from '../revocation/revocation.ts'
import { maxRevocations } from '../revocation/revocation-list.ts'
import type { RevocationSource } from '../revocation/revocations.ts'
import { type EventForm, verifyEvent } from '../revocation/verify-event.ts'
import { TokenRefusal } from '../verdict.ts'
import type { AnswerPost, PlainAnswer } from './admin-listener.ts'
import type { Log } from './log.ts'

/** The paths for logout tokens (OpenID Connect Back-Channel Logout) and for security events (RFC 8935). */
export const eventPaths = { logout: '/backchannel-logout', event: '/security-events' } as const

/** Creates the handlers of each path: logout tokens and security events of providers become entries of a list. */
export function createEventReceiver(parts: ReceiverParts): ReadonlyMap<string, AnswerPost> {
  let pending = 0
  const unwritten = new UnwrittenEntries()
  const receive = async (form: EventForm, token: string | undefined): Promise<Received> => {
    if (token === undefined) return { outcome: 'refused', reason: 'no-token', note: 'the request has no event' }
    if (pending >= maxPending) return { outcome: 'refused', reason: 'overloaded', note: 'too many events at a time' }
    pending += 1
    try {
      return await record(form, token, { ...parts, unwritten })
    } finally {
      pending -= 1
    }
  }
  return new Map([
    [eventPaths.logout, async (request) => toLogoutAnswer(await receive('logout token', await readLogout(request)))],
    [eventPaths.event, async (request) => toEventAnswer(await receive('security event', await readEvent(request)))],
  ])
}

interface ReceiverParts {
  readonly policy: () => Policy
  readonly keys: KeyFinder
  readonly now: () => number
  /** The list to which entries are added. */
  readonly source: RevocationSource
  readonly log: Log
}

/** How many events may be in verification. */
const maxPending = 100

type Received =
  | { readonly outcome: 'recorded' }
  | { readonly outcome: 'refused'; readonly reason: RefusalReason; readonly note: string }

/** The entries that are in force in this process although they could not be written: a repeated event writes them again. */
class UnwrittenEntries {
  readonly #byId = new Map<string, Revocation>()

  listKnown(revocations: readonly Revocation[]): Revocation[] {
    return revocations.flatMap((each) => this.#byId.get(toRevocationId(each)) ?? [])
  }

  set(revocations: readonly Revocation[]): void {
    for (const each of revocations) this.#byId.set(toRevocationId(each), each)
    for (const id of this.#byId.keys().take(Math.max(0, this.#byId.size - maxRevocations))) this.#byId.delete(id)
  }

  delete(revocations: readonly Revocation[]): void {
    for (const each of revocations) this.#byId.delete(toRevocationId(each))
  }
}

interface RecordParts extends ReceiverParts {
  readonly unwritten: UnwrittenEntries
}

/** Records an event. A repeated event changes nothing: it has the time of the first, so entries that were written are not written again. */
async function record(form: EventForm, token: string, parts: RecordParts): Promise<Received> {
  const { log } = parts
  try {
    const { issuer, added } = await recordVerified(form, token, parts)
    const kinds = added.map(({ kind }) => kind).join(', ')
    const message = `a ${form} was accepted`
    log.tellBounded({
      level: 'info',
      event: 'revocation-event',
      message,
      facts: { issuer, revoked: kinds || 'nothing new' },
    })
    return { outcome: 'recorded' }
  } catch (thrown) {
    const { reason, note } = toRefusal(thrown)
    const message = `a ${form} was refused`
    log.tellBounded({ level: 'warning', event: 'revocation-event-refused', message, facts: { reason, note } })
    return { outcome: 'refused', reason, note }
  }
}

/** Verifies an event, and adds its revocations to the source: those that are new, and those that could not be written before. */
async function recordVerified(form: EventForm, token: string, parts: RecordParts) {
  const { source, keys, unwritten } = parts
  const context = { policy: parts.policy(), keys, now: parts.now() }
  const { issuer, revocations } = await verifyEvent(form, token, context)
  const added = [...unwritten.listKnown(revocations), ...source.list.selectNew(revocations)]
  unwritten.set(added)
  if (added.length > 0) await source.add(added)
  unwritten.delete(added)
  return { issuer, added }
}

function toRefusal(thrown: unknown): { readonly reason: RefusalReason; readonly note: string } {
  if (thrown instanceof TokenRefusal) return { reason: thrown.reason, note: thrown.note ?? thrown.message }
  // The entries are in force only in this process, so the provider must send the event again.
  if (thrown instanceof HelperError) return { reason: 'revocations-unavailable', note: thrown.message }
  return { reason: 'defect', note: thrown instanceof Error ? thrown.name : typeof thrown }
}

/** A failure is always 400 (OpenID Connect Back-Channel Logout 1.0, section 2.8). */
function toLogoutAnswer(received: Received): PlainAnswer {
  if (received.outcome === 'recorded') return { status: 200, headers: {}, body: '' }
  return toRejection({ error: 'invalid_request', error_description: received.note })
}

/** The error codes of RFC 8935, section 2.4, for our reasons; any other reason is an invalid request. */
const errorCodes: Partial<Record<RefusalReason, string>> = {
  issuer: 'invalid_issuer',
  audience: 'invalid_audience',
  'unknown-key': 'invalid_key',
  revoked: 'invalid_key',
  signature: 'authentication_failed',
}

function toRejection(body: object): PlainAnswer {
  return { status: 400, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

async function readLogout(request: IncomingMessage): Promise<string | undefined> {
  const { text } = await readRequestBody(request, formType, longestBody)
  const tokens = new URLSearchParams(text ?? '').getAll('logout_token')
  return tokens.length === 1 ? tokens[0] : undefined
}

/** Answers with the statuses of RFC 8935, sections 2.2 to 2.4. After any other status a provider sends the event again. */
function toEventAnswer(received: Received): PlainAnswer {
  if (received.outcome === 'recorded') return { status: 202, headers: {}, body: '' }
  const { reason, note } = received
  if (reason === 'overloaded' || reason === 'defect' || reason.endsWith('-unavailable'))
    return { status: 503, headers: {}, body: '' }
  return toRejection({ err: errorCodes[reason] ?? 'invalid_request', description: note })
}

async function readEvent(request: IncomingMessage): Promise<string | undefined> {
  return (await readRequestBody(request, 'application/secevent+jwt', longestBody)).text?.trim() || undefined
}

/** The longest body in bytes: a token, and the name of the field that holds it. */
const longestBody = longestJwtBytes + 1024
