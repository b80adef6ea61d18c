import type { HelperError } from '../../failure.ts'

/** What became of a request: an answer, or none. */
export type Outcome = { readonly response: Response } | { readonly trouble: HelperError }

/** Whether asking again may help: 408, 429, 5xx, and connections that broke or came to nothing. */
export function isTransient(outcome: Outcome): boolean {
  if ('trouble' in outcome) return isUnsent(outcome.trouble) || brokenCodes.has(codeOf(outcome.trouble) ?? '')
  const { status } = outcome.response
  return status === 408 || status === 429 || status >= 500
}

/** How long to wait before asking again: what `Retry-After` says, otherwise longer each time and never in step. */
export function pauseMs(outcome: Outcome, attempt: number): number {
  const said = 'response' in outcome ? parseRetryAfter(outcome.response.headers.get('retry-after')) : undefined
  return said ?? Math.random() * 200 * 2 ** attempt
}

/** Seconds or a date, RFC 9110, section 10.2.3; in milliseconds from now. */
export function parseRetryAfter(text: string | null): number | undefined {
  if (text === null) return undefined
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

/** Failures that come before anything is sent: the other side has seen nothing then. */
const unsentCodes = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

const brokenCodes = new Set(['ECONNRESET', 'ETIMEDOUT', 'EPIPE'])

/** Whether the other side cannot have received anything of a request that failed. */
export function isUnsent(trouble: HelperError): boolean {
  return unsentCodes.has(codeOf(trouble) ?? '')
}

function codeOf({ cause }: HelperError): string | undefined {
  return (cause as NodeJS.ErrnoException | undefined)?.code
}
