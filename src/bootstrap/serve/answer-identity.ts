import { hash } from 'node:crypto'
import { HelperError } from '../../runtime/failure.ts'
import { toRefusedAnswer } from '../../verify/server/gateway-answer.ts'
import { type Identity, TokenRefusal } from '../../verify/verdict.ts'
import { type Selection, selectDocument } from '../select-document.ts'
import { type Delivery, findReleasedDigest, type PreparedRelease, type RenderedDocument } from './prepare-release.ts'

/** The answer to one request. */
export interface BootstrapAnswer {
  readonly status: number
  /** Names and values in turn, as Node writes them without looking at each. */
  readonly headers: string[]
  /** Written one after the other. A document that is the same for many is not copied for each of them. */
  readonly chunks: readonly (string | Uint8Array)[]
  /** Set if the answer is not a document, for the audit. */
  readonly refusal?: TokenRefusal
  /** The choice that was made, and for whom, also where nobody gets a document. */
  readonly selection?: Selection
  readonly etag?: string
}

/** The header of a decision: which file of `documents/` the client gets, without its ending, or that it holds that one. */
export const documentHeader = 'x-document'
/** The value of {@link documentHeader} for a document that the client holds. */
const unchangedDocument = 'unchanged'

/** The answer for each person, remembered for as long as the verifier remembers the identity. */
export type AnswerMemory = WeakMap<Identity, RememberedDocument>

/**
 * The answer for a person whose token is good. It depends on the identity and on the entity tags that the client holds, and on nothing
 * else in the request.
 * @param ifNoneMatch The header of that name.
 */
export function answerIdentity(
  identity: Identity,
  ifNoneMatch: string | undefined,
  { release, memory, expiry, requestId, delivery }: AnswerParts,
): BootstrapAnswer {
  const tags = parseEntityTags(ifNoneMatch)
  const held = tags.map(findReleasedDigest).find((digest) => digest !== undefined)
  const known = memory.get(identity)
  const toAnswer = (answer: RememberedDocument) =>
    delivery === 'decision' ? toDecision(answer, tags) : toDocument(answer, identity, tags, expiry)
  if (known && known.release === release && known.held === held) return toAnswer(known)
  const selection = selectDocument(release.open, identity, held)
  if (selection.outcome === 'nothing')
    return {
      ...toRefusal(new TokenRefusal('not-entitled', { detail: reasons[selection.reason] }), requestId),
      selection,
    }
  try {
    const rendered = release.answer(selection.document, identity.claims)
    const isShared = rendered.etag === `"${selection.document.digest}"`
    const answer = { release, held, selection, rendered, etag: rendered.etag }
    memory.set(identity, { ...answer, rendered: isShared ? rendered : undefined })
    return toAnswer(answer)
  } catch (cause) {
    if (!(cause instanceof HelperError && cause.kind === 'not-configured')) throw cause
    return { ...toRefusal(new TokenRefusal('not-entitled', { detail: cause.message, cause }), requestId), selection }
  }
}

interface AnswerParts {
  readonly release: PreparedRelease
  readonly memory: AnswerMemory
  readonly expiry: ExpirySettings
  readonly delivery: Delivery
  /** Identifies a refusal in the audit. */
  readonly requestId: string
}

interface RememberedDocument {
  readonly release: PreparedRelease
  readonly held: string | undefined
  readonly selection: Selection
  /** Absent where the document is for one person: it is made again, so that no memory fills with documents. */
  readonly rendered: RenderedDocument | undefined
  readonly etag: string
}

const reasons = {
  'no-subject': 'the token does not have the claim that names a person',
  'not-entitled': 'no group of the rollout has its claims',
  'unknown-combination': 'its claims put its owner into groups that the rollout does not have together',
} as const

/** How soon a client may ask again where nobody can tell now, in seconds. */
const retryAfterSec = 10

/** A refusal as the verifier gives it, with the time after which to ask again where that helps. */
export function toRefusal(refusal: TokenRefusal, requestId: string): BootstrapAnswer {
  const { status, headers, body } = toRefusedAnswer(refusal, requestId)
  const retry = status === 503 ? ['retry-after', String(retryAfterSec)] : []
  return { status, headers: [...headers, ...retry], chunks: [body], refusal }
}

function toDecision({ selection, etag }: RememberedDocument, tags: readonly string[]): BootstrapAnswer {
  if (selection.outcome === 'nothing') throw new TypeError('only documents are remembered')
  const name = isHeld(tags, etag) ? unchangedDocument : selection.document.digest
  const headers = [documentHeader, name, 'etag', etag, 'cache-control', 'no-store']
  return { status: 204, headers, chunks: [], selection, etag }
}

function isHeld(tags: readonly string[], etag: string): boolean {
  return tags.includes(etag) || tags.includes('*')
}

function toDocument(
  { release, selection, rendered, etag }: RememberedDocument,
  { claims }: Identity,
  tags: readonly string[],
  expiry: ExpirySettings,
): BootstrapAnswer {
  if (selection.outcome === 'nothing') throw new TypeError('only documents are remembered')
  const fixed = ['etag', etag, 'cache-control', 'no-store', 'x-content-type-options', 'nosniff']
  if (isHeld(tags, etag)) return { status: 304, headers: fixed, chunks: [], selection, etag }
  const { rest } = rendered ?? release.answer(selection.document, claims)
  const start = `{"expiresAt":${computeExpiry(selection.subject, expiry)}${rest[0] === closingBrace ? '' : ','}`
  const length = String(start.length + rest.length)
  const headers = [...fixed, 'content-type', 'application/json', 'content-length', length]
  return { status: 200, headers, chunks: [start, rest], selection, etag }
}

const closingBrace = '}'.charCodeAt(0)

/**
 * How long an answer may count, in seconds. A client waits half a minute for one answer, so that a shorter expiry could be over on arrival; a
 * longer one would leave a document in force that was taken back long ago. Our decision.
 */
export const expirySec = { least: 60, most: 604_800 } as const

/**
 * When the answer expires, in epoch seconds: between a half and three halves of `expiresSec` from now, at a moment of the person's own in each
 * period of that length. So a fleet that has started in one second does not come back in one, and a person who asks twice mostly gets the same
 * bytes.
 */
export function computeExpiry(subject: string, { expiresSec, now }: ExpirySettings): number {
  const phase = Number.parseInt(hash('sha256', `expiry\n${subject}`, 'hex').slice(0, 8), 16) % expiresSec
  const earliest = Math.ceil(now / 1000 + expiresSec / 2)
  return earliest + ((((phase - earliest) % expiresSec) + expiresSec) % expiresSec)
}

/** How long an answer counts, and the moment. */
interface ExpirySettings {
  readonly expiresSec: number
  /** Epoch milliseconds. */
  readonly now: number
}

/**
 * The entity tags of `If-None-Match` (RFC 9110, section 13.1.2), compared weakly, so without `W/`; empty for a header of another form, which
 * then counts as absent.
 */
export function parseEntityTags(header: string | undefined): string[] {
  if (header === undefined || header.length > longestTags) return []
  if (header.trim() === '*') return ['*']
  return [...header.matchAll(/"[\x21\x23-\x7e]*"/g)].map(([tag]) => tag)
}

const longestTags = 4096
