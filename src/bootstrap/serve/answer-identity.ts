import { hash } from 'node:crypto'
import { HelperError } from '../../runtime/failure.ts'
import { toRefusedAnswer } from '../../verify/server/gateway-answer.ts'
import { type Identity, TokenRefusal } from '../../verify/verdict.ts'
import { type Selection, selectDocument } from '../select-document.ts'
import { type Delivery, findReleasedDigest, type PreparedRelease, type RenderedDocument } from './prepare-release.ts'

/** The answer to one request. */
export interface BootstrapAnswer {
  readonly status: number
  /** Names and values in turn: Node writes such a list without processing each header. */
  readonly headers: string[]
  /** The parts of the body in order. A document that many people get is not copied for each of them. */
  readonly chunks: readonly (string | Uint8Array)[]
  /** Set if the answer is not a document; for the audit. */
  readonly refusal?: TokenRefusal
  /** The selection and its person, also if the person gets no document. */
  readonly selection?: Selection
  readonly etag?: string
}

/** The header of a decision: the name of the file in `documents/` without its extension, or {@link unchangedDocument}. */
export const documentHeader = 'x-document'
/** The value if the client already holds the document. */
const unchangedDocument = 'unchanged'

/** The answer for each person, cached for as long as the verifier caches the identity. */
export type AnswerMemory = WeakMap<Identity, RememberedDocument>

/**
 * Answers a person with a valid token. The answer depends only on the identity and on the entity tags that the client holds.
 * @param ifNoneMatch The header of this name.
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
  /** The id of a refusal in the audit. */
  readonly requestId: string
}

interface RememberedDocument {
  readonly release: PreparedRelease
  readonly held: string | undefined
  readonly selection: Selection
  /** Absent for a document with personal values: it is rendered each time, so that the cache does not fill with documents. */
  readonly rendered: RenderedDocument | undefined
  readonly etag: string
}

const reasons = {
  'no-subject': 'the token does not have the claim that names a person',
  'not-entitled': 'no group of the rollout has its claims',
  'unknown-combination': 'its claims put its owner into groups that the rollout does not have together',
} as const

/** After how many seconds a client may try again if no decision is possible. */
const retryAfterSec = 10

/** Makes the answer to a refusal of the verifier, with the time of the next attempt if it may help. */
export function toRefusal(refusal: TokenRefusal, requestId: string): BootstrapAnswer {
  const { status, headers, body } = toRefusedAnswer(refusal, requestId)
  const retry = status === 503 ? ['retry-after', String(retryAfterSec)] : []
  return { status, headers: [...headers, ...retry], chunks: [body], refusal }
}

/**
 * Parses the entity tags of `If-None-Match` (RFC 9110, section 13.1.2) without `W/`, for the weak comparison; empty for a malformed header,
 * which is ignored.
 */
function parseEntityTags(header: string | undefined): string[] {
  if (header === undefined || header.length > longestTags) return []
  if (header.trim() === '*') return ['*']
  return [...header.matchAll(/"[\x21\x23-\x7e]*"/g)].map(([tag]) => tag)
}

const longestTags = 4096

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
  const { members } = rendered ?? release.answer(selection.document, claims)
  const start = `{"expiresAt":${computeExpiry(selection.subject, expiry)}${members[0] === closingBrace ? '' : ','}`
  const length = String(start.length + members.length)
  const headers = [...fixed, 'content-type', 'application/json', 'content-length', length]
  return { status: 200, headers, chunks: [start, members], selection, etag }
}

const closingBrace = '}'.charCodeAt(0)

/**
 * The shortest, longest and default lifetime of an answer, in seconds. A client waits half a minute for one answer, so that a shorter one
 * could have expired on arrival; with a longer one, a withdrawn document would stay in use for too long. Our decision.
 */
export const expirySec = { least: 60, most: 604_800, default: 3600 } as const

/**
 * Computes when the answer expires, in epoch seconds: between half and one and a half times `expiresSec` from now, at a person's own point
 * in each such period. So a fleet that started in one second does not return in one second, and repeated requests of one person mostly get
 * the same bytes.
 */
export function computeExpiry(subject: string, { expiresSec, now }: ExpirySettings): number {
  const phase = Number.parseInt(hash('sha256', `expiry\n${subject}`, 'hex').slice(0, 8), 16) % expiresSec
  const earliest = Math.ceil(now / 1000 + expiresSec / 2)
  return earliest + ((((phase - earliest) % expiresSec) + expiresSec) % expiresSec)
}

/** The lifetime of an answer, and the present time. */
interface ExpirySettings {
  readonly expiresSec: number
  /** Epoch milliseconds. */
  readonly now: number
}
