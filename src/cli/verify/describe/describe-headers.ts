import type { Headers } from '../../../contract/headers.ts'
import { describeToken } from './describe-token.ts'

/** A header beside a token, without its value. */
export interface HeaderDescription {
  readonly name: string
  /** Of one that carries a token of its own, with its article. */
  readonly title?: string
  /** When that ends, in epoch milliseconds. */
  readonly expiresAt?: number
}

/** Says what headers carry, without their values. */
export function describeHeaders(headers: Headers): HeaderDescription[] {
  return Object.entries(headers).map(([name, value]) => {
    const { kind, title, life } = describeToken(value.replace(/^[A-Za-z][\w-]* (?=\S+$)/, ''))
    if (kind === 'opaque') return { name }
    return { name, title, ...(life.expiresAt !== undefined && { expiresAt: life.expiresAt }) }
  })
}
