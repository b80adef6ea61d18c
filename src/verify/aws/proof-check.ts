// Declares a check of a proof and its parts; `request-checks.ts` has the checks of any form.

import type { RefusalReason } from '../../contract/refusal-reasons.ts'
import type { AwsTrust, Policy } from '../policy/policy.ts'

/** The settings for checking a proof. */
export interface ProofTerms extends Pick<Policy, 'clockSkewSec'> {
  readonly trust: AwsTrust
  /** Epoch milliseconds. */
  readonly now: number
}

/** The reason why a proof is refused. */
export interface ProofProblem {
  readonly reason: RefusalReason
  /** In words; it holds no part of a signature or a session token. */
  readonly note: string
}

/** A check of a parsed proof; `gatepass verify` lists it by its name even if it passes. */
export interface ProofCheck<Parts> {
  readonly name: string
  /** The problem; `skipped` if the checked part could not be read; `undefined` if the check passes. */
  find(parts: Parts, terms: ProofTerms): ProofProblem | 'skipped' | undefined
  /** The sentence that is shown if the check passes. */
  readonly holds: string | ((parts: Parts, terms: ProofTerms) => string)
}

/** Creates the search of a check that is skipped if an earlier check has not found this part. */
export function skipWithout<Key extends string, Parts extends { readonly [name in Key]: unknown }>(
  key: Key,
  find: (part: NonNullable<Parts[Key]>, parts: Parts, terms: ProofTerms) => ProofProblem | undefined,
): ProofCheck<Parts>['find'] {
  return (parts, terms) => {
    const part = parts[key]
    if (part === undefined) return 'skipped' // an empty text is there
    return find(part as NonNullable<Parts[Key]>, parts, terms) // no part is null
  }
}

/** Refuses a proof that cannot be parsed. @param note What is wrong, in words. */
export function rejectForm(note: string): ProofProblem {
  return { reason: 'malformed', note }
}

/** Refuses a proof whose signature does not cover the header with the audience. */
export function rejectUnsigned(header: string): ProofProblem {
  return { reason: 'audience', note: `the header ${header} is not signed, which names the audience` }
}

/** Creates the check that a proof is no longer than `longest`, in bytes. */
export function createSizeCheck(longest: number): ProofCheck<Pick<ProofParts, 'bytes'>> {
  return {
    name: 'size',
    find: ({ bytes }) => (bytes > longest ? rejectForm(`it has ${bytes} bytes, above ${longest}`) : undefined),
    holds: ({ bytes }) => `it has ${bytes} bytes`,
  }
}

/** Creates the check that an address has no path of its own. */
export function createPathCheck(isPlain: (address: ProofAddress) => boolean): ProofCheck<Pick<ProofParts, 'address'>> {
  return {
    name: 'path',
    find: skipWithout('address', (address) => (isPlain(address) ? undefined : rejectForm('the path is not / alone'))),
    holds: 'it is / alone',
  }
}

/** A parsed proof; the parts that could not be read are `undefined`. */
export interface ProofParts {
  readonly bytes: number
  readonly address: ProofAddress | undefined
  readonly claim: SignatureClaim | undefined
}

/** The parts of a request's address, as they are written. */
export interface ProofAddress {
  /** The whole text. */
  readonly text: string
  readonly scheme: string
  /** The text between the slashes and the path, with user, password and port. */
  readonly authority: string
  readonly path: string
  /** Without `?`; `undefined` if there is no query. */
  readonly query: string | undefined
  readonly fragment: string | undefined
}

/** The parts of a signature (Signature Version 4); a part that the request does not state is `undefined`. */
export interface SignatureClaim {
  readonly algorithm: string | undefined
  /** The id of the access key, then the day, region and service. */
  readonly credential: string | undefined
  readonly date: string | undefined
  readonly signedHeaders: readonly string[]
  readonly signature: string | undefined
}

/** Parses an absolute address of visible ASCII. It corrects nothing, because URL parsers differ in what they correct. */
export function parseAddress(text: string): ProofAddress | undefined {
  if (!/^[\x21-\x7e]+$/.test(text)) return undefined
  const parts = /^([A-Za-z][\w+.-]*):\/\/([^/?#\\]*)([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/.exec(text)
  if (!parts) return undefined
  const [, scheme = '', authority = '', path = '', query, fragment] = parts
  return { text, scheme, authority, path, query, fragment }
}

/** Decodes a text; `undefined` unless it is spelled as an encoder writes it. */
export function decodeCanonical(text: string, encoding: 'base64' | 'base64url'): string | undefined {
  const bytes = Buffer.from(text, encoding)
  return bytes.toString(encoding) === text && text !== '' ? bytes.toString('utf8') : undefined
}
