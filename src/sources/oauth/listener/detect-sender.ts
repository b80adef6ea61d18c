import type { IncomingHttpHeaders } from 'node:http'
import { normalizeHost } from './referrers.ts'

/**
 * Who sends a request, as far as a browser says it:
 * - `prefetch`: a browser that guesses where the person will go, and shows nothing of it yet
 * - `part`: something that a page loads, such as an image, a frame or a script's request
 * - `foreign`: a tab that comes from a host that may not send it
 * - `tab`: a tab that comes from a right host, or does not say from where; programs that are no browser say nothing
 */
export type Sender =
  | { readonly kind: 'prefetch' | 'part' | 'tab' }
  | { readonly kind: 'foreign'; readonly host: string }

/** @param referrers In the form of `listReferrers`; without them only what a browser fetches ahead is told apart. */
export function detectSender(headers: IncomingHttpHeaders, referrers: readonly string[] | undefined): Sender {
  if (purposeHeaders.some((name) => aheadOfTime.test(String(headers[name] ?? '')))) return { kind: 'prefetch' }
  if (!referrers) return { kind: 'tab' }
  const { 'sec-fetch-mode': mode = 'navigate', 'sec-fetch-dest': destination = 'document' } = headers
  if (mode !== 'navigate' || destination !== 'document') return { kind: 'part' }
  // A page with the scheme https sends `Origin: null` to a listener without it, and mostly no Referer.
  const hosts = [headers.origin, headers.referer].filter((sent) => sent !== undefined && sent !== 'null').map(toHost)
  const host = hosts.find((name) => !referrers.includes(name))
  return host === undefined ? { kind: 'tab' } : { kind: 'foreign', host }
}

/** What browsers of different ages say when they fetch a page before anybody asks for it. */
const purposeHeaders = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'] as const

const aheadOfTime = /\b(prefetch|prerender|preview)\b/i

/** What is no URL is of no host, and so never a right one. */
const toHost = (address = '') => normalizeHost(URL.parse(address)?.hostname ?? '')
