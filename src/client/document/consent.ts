import { type Difference, diffDocuments } from '../../config/diff-documents.ts'
import type { ConfigDocument } from '../../config/document.ts'
import { parentPath } from '../../config/field.ts'

/** What a person makes of the question whether new values may take effect. `later`: nobody is there. */
export type ConsentAnswer = 'agree' | 'decline' | 'later'

/** Whoever sits at the client. `fields` are nested paths. */
export interface Person {
  answer(fields: readonly string[]): ConsentAnswer | Promise<ConsentAnswer>
}

/** Changes between a document that was agreed to and a newer one that take effect only once a person agrees. */
export function findHeldBack(agreed: ConfigDocument, next: ConfigDocument): Difference[] {
  return diffDocuments(agreed, next).filter(({ consent }) => consent === 'asked')
}

/**
 * The document as it is applied until the person agrees. Nothing is inherited from an earlier one, so a value that is held
 * back is unset. Where it has no default, what it belongs to is unset with it: a helper without its new arguments or
 * profile could print a token for another identity. Our decision.
 */
export function withholdValues(document: ConfigDocument, held: readonly Difference[]): ConfigDocument {
  return held.reduce((rest, { field }) => {
    const isPart = field.default === undefined && parentPath(field) !== 'inference'
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
