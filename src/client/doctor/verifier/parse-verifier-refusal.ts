import {
  type RefusalReason,
  refusalDetailHeader,
  refusalHeader,
  refusalReasons,
} from '../../../contract/refusal-reasons.ts'
import { toOneLine } from '../../../runtime/failure.ts'
import { parseObject, toObject } from '../../../runtime/values/json-value.ts'
import type { GatewayAnswer } from '../../session/turn.ts'
import type { VerifierRefusal } from './explain-verifier-refusal.ts'

/**
 * Parses why a verifier refused, from its headers, or from the body if a gateway drops the headers. A gateway may change the status.
 * `undefined` for a refusal that is not a verifier's.
 */
export function parseVerifierRefusal({ status, headers, text }: GatewayAnswer): VerifierRefusal | undefined {
  if (status < 400) return undefined
  const error = toObject(parseObject(text)?.error)
  const reason = [headers.get(refusalHeader), error.reason].find(isReason)
  if (reason === undefined) return undefined
  const detail = [headers.get(refusalDetailHeader), error.detail, findDescribed(headers, reason)].find(hasWords)
  return detail === undefined ? { reason } : { reason, detail: cut(toOneLine(detail)) }
}

function isReason(value: unknown): value is RefusalReason {
  return typeof value === 'string' && Object.hasOwn(refusalReasons, value)
}

/** Finds the detail in the challenge, after the summary of the reason: some gateways forward nothing else. */
function findDescribed(headers: Headers, reason: RefusalReason): string | undefined {
  const description = parseChallenge(headers)?.description ?? ''
  const start = `${refusalReasons[reason].summary}: `
  return description.startsWith(start) ? description.slice(start.length) : undefined
}

/** The most characters that are repeated; a verifier sends no more. */
const longest = 500

function hasWords(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

/** How much of an answer is searched for the refusing server and the reason, which are at the beginning. Our decision. */
export const searchedCharacters = 4096

/** The challenge of a resource server (RFC 6750, section 3; RFC 9449, section 7.1). */
interface BearerChallenge {
  readonly error?: string
  readonly description?: string
  readonly scope?: string
}

/** Parses the challenge of the scheme Bearer or DPoP; `undefined` without one. */
export function parseChallenge(headers: Headers): BearerChallenge | undefined {
  const challenge = /(?:^|,\s*)(?:bearer|dpop)(?:\s+(.*))?$/is.exec(
    (headers.get('www-authenticate') ?? '').slice(0, searchedCharacters),
  )
  if (!challenge) return undefined
  const find = (name: string) => new RegExp(`(?:^|[\\s,])${name}="([^"]*)"`, 'i').exec(challenge[1] ?? '')?.[1]
  const found = { error: find('error'), description: find('error_description'), scope: find('scope') }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined))
}
