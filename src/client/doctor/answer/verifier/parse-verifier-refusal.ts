import { type RefusalReason, refusalReasons } from '../../../../contract/refusal-reasons.ts'
import { toOneLine } from '../../../../runtime/failure.ts'
import { parseObject } from '../../../../runtime/parse-object.ts'
import type { GatewayAnswer } from '../../../turn/turn.ts'
import type { VerifierRefusal } from './verifier-refusal.ts'

/**
 * Reads why a verifier refused: out of its headers, or of the body where a gateway drops those. A gateway may answer with another status than
 * the reason's. `undefined` for the refusal of anybody else.
 */
export function parseVerifierRefusal({ status, headers, text }: GatewayAnswer): VerifierRefusal | undefined {
  if (status < 400) return undefined
  const error = toObject(parseObject(text)?.error)
  const reason = [headers.get('gatepass-refusal'), error.reason].find(isReason)
  if (reason === undefined) return undefined
  const detail = [headers.get('gatepass-refusal-detail'), error.detail, findDescribed(headers, reason)].find(isText)
  return detail === undefined ? { reason } : { reason, detail: cut(toOneLine(detail)) }
}

function isReason(value: unknown): value is RefusalReason {
  return typeof value === 'string' && Object.hasOwn(refusalReasons, value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

function toObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

/** The challenge has the detail behind the summary of the reason, for gateways that pass nothing else on. */
function findDescribed(headers: Headers, reason: RefusalReason): string | undefined {
  const description = parseChallenge(headers)?.description ?? ''
  const start = `${refusalReasons[reason].summary}: `
  return description.startsWith(start) ? description.slice(start.length) : undefined
}

/** How much is repeated, in characters; a verifier sends no more. */
const longest = 500

function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

/** The challenge of a resource server (RFC 6750, section 3). */
export interface BearerChallenge {
  readonly error?: string
  readonly description?: string
  readonly scope?: string
}

/** Reads the challenge for bearer tokens; `undefined` where there is none. */
export function parseChallenge(headers: Headers): BearerChallenge | undefined {
  const challenge = /(?:^|,\s*)bearer(?:\s+(.*))?$/is.exec((headers.get('www-authenticate') ?? '').slice(0, 4096))
  if (!challenge) return undefined
  const read = (name: string) => new RegExp(`(?:^|[\\s,])${name}="([^"]*)"`, 'i').exec(challenge[1] ?? '')?.[1]
  const found = { error: read('error'), description: read('error_description'), scope: read('scope') }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined))
}
