import { joinPath } from '../../runtime/json/position.ts'
import type { Finding } from '../finding.ts'
import { createFinding } from '../finding.ts'
import type { ReadResult } from '../read/document.ts'
import type { UnknownKeys } from '../read/matched-field.ts'
import { findForeignProvider } from '../read/unknown-key.ts'
import type { Shape } from '../shape.ts'
import { renderers } from './shapes.ts'

/** A document in another shape, with findings for what it leaves out. */
interface Converted {
  readonly content: string
  readonly findings: readonly Finding[]
}

/** Renders a document in another shape; `undefined` when it could not be read. */
export function convertDocument(result: ReadResult, to: Shape, clientVersion?: string): Converted | undefined {
  if (!result.document) return undefined
  const { unknownKeys, findings } = convertUnknownKeys(result, to)
  const content = renderers[to](result.document, { unknownKeys, ...(clientVersion && { clientVersion }) })
  return { content, findings }
}

/** Unknown keys can be written back only in the form they came from: nested, or one of the two flat forms. */
export function convertUnknownKeys(
  result: ReadResult,
  to: Shape,
): { unknownKeys: readonly UnknownKeys[]; findings: Finding[] } {
  const isSameForm = (result.shape === 'nested') === (to === 'nested')
  const aside = isSameForm ? [] : result.unknownKeys
  const findings = aside.map(({ keys }) =>
    createFinding(
      'kept-aside',
      keys.reduce(joinPath, ''),
      'the other form has no known key for it, and it was left out',
      'add it by hand if it is needed',
    ),
  )
  const lost = [...reportForeign(result), ...findings, ...reportLostExpiry(result, to)]
  return { unknownKeys: isSameForm ? result.unknownKeys : [], findings: lost }
}

function reportForeign(result: ReadResult): Finding[] {
  const provider = findForeignProvider(result)
  if (!provider) return []
  const message = 'it names another provider than "gateway", and what it needs is not known here'
  return [createFinding('not-exportable', provider.path, message, "use that provider's own tools")]
}

function reportLostExpiry({ document }: ReadResult, to: Shape): Finding[] {
  if (to !== 'managed' || document?.expiresAt === undefined) return []
  return [createFinding('no-managed-key', 'expiresAt', 'managed preferences have no such key, and it was left out', '')]
}
