import type { Finding } from '../finding.ts'
import { finding, joinPath } from '../finding.ts'
import type { ReadResult } from '../read/document.ts'
import type { UnknownKeys } from '../read/matched-field.ts'
import type { Shape } from '../shape.ts'
import { renderers } from './shapes.ts'

/** A text, and what of the document it does not hold. */
export interface Converted {
  readonly content: string
  readonly findings: readonly Finding[]
}

/** Writes what was read in another shape; `undefined` when nothing could be read. */
export function convertDocument(reading: ReadResult, to: Shape, clientVersion?: string): Converted | undefined {
  if (!reading.document) return undefined
  const { kept, findings } = carryUnknownKeys(reading, to)
  const content = renderers[to](reading.document, { kept, ...(clientVersion && { clientVersion }) })
  return { content, findings }
}

/** Keys of no row can be written back only in the form they came in: nested, or one of the two flat ones. */
export function carryUnknownKeys(
  reading: ReadResult,
  to: Shape,
): { kept: readonly UnknownKeys[]; findings: Finding[] } {
  const isSameForm = (reading.shape === 'nested') === (to === 'nested')
  const aside = isSameForm ? [] : reading.kept
  const findings = aside.map(({ keys }) =>
    finding(
      'kept-aside',
      keys.reduce(joinPath, ''),
      'it has no known place in the other form, and was left out',
      'add it by hand if it is needed',
    ),
  )
  return { kept: isSameForm ? reading.kept : [], findings: [...findings, ...lostExpiry(reading, to)] }
}

function lostExpiry({ document }: ReadResult, to: Shape): Finding[] {
  if (to !== 'managed' || document?.expiresAt === undefined) return []
  return [finding('no-managed-key', 'expiresAt', 'managed preferences have no such key, and it was left out', '')]
}
