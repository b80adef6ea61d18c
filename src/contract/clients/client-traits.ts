import { formatFacts } from '../formats/output-format.ts'
import type { HelperClient } from './client.ts'

/** The client tells a helper why it runs: the contexts of the desktop client. */
export function isTold({ context }: HelperClient): boolean {
  return context === 'told'
}

/** The client reads the desktop client's document, whose rules are on the page of the contract. */
export function hasDocument({ format }: HelperClient): boolean {
  return format === 'json'
}

/** The client reads another format. */
export function hasOtherFormat(client: HelperClient): boolean {
  return !hasDocument(client)
}

/** What is printed is a token for a request, not keys that sign one. */
export function hasToken({ sentAs }: HelperClient): boolean {
  return !sentAs.includes('signature')
}

/** The client learns the end from the output. */
export function isEndRead({ format }: HelperClient): boolean {
  return formatFacts[format].renewedBeforeSec !== undefined
}

/** How many seconds before that end it asks again; `undefined` where it reads none, or asks for each request anyway. */
export function findRenewedBeforeSec({ format, refresh }: HelperClient): number | undefined {
  return refresh.keptFor === 'request' ? undefined : formatFacts[format].renewedBeforeSec
}
