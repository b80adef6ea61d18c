import { compareDocuments, type Difference } from '../../config/compare-documents.ts'
import type { ConfigDocument } from '../../config/document.ts'
import { toParentPath } from '../../config/field.ts'

/** A person's answer to the question whether new values may take effect. `later`: nobody is there. */
export type ConsentAnswer = 'agree' | 'decline' | 'later'

/** The person at the client. `fields` are nested paths. */
export interface Person {
  answer(fields: readonly string[]): ConsentAnswer | Promise<ConsentAnswer>
}

/** Changes that take effect only when a person agrees, between the document that was agreed to and a newer one. */
export function findPendingConsent(agreed: ConfigDocument, next: ConfigDocument): Difference[] {
  return compareDocuments(agreed, next).filter(({ consent }) => consent === 'asked')
}

/**
 * The document as it is applied until the person agrees. Values are not inherited from an earlier document, so a pending
 * value is unset. If it has no default and belongs to the credential, the whole credential is unset: a helper without its
 * new arguments or profile could print a token for another identity. Our decision.
 */
export function omitPendingValues(document: ConfigDocument, pending: readonly Difference[]): ConfigDocument {
  return pending.reduce((rest, { field }) => {
    const isPart = field.default === undefined && toParentPath(field) !== 'inference'
    return unset(rest, isPart ? ['inference', 'credential'] : field.path.split('.'))
  }, document)
}

function unset<T extends object>(node: T, [key = '', ...rest]: readonly string[]): T {
  const child = (node as Record<string, unknown>)[key]
  if (child === undefined) return node
  if (rest.length > 0) return { ...node, [key]: unset(child as object, rest) }
  const { [key as keyof T]: _, ...others } = node
  return others as T
}
