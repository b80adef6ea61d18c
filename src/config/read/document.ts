import type { ConfigDocument } from '../document.ts'
import type { Finding } from '../finding.ts'
import { finding } from '../finding.ts'
import type { RawObject } from '../raw.ts'
import { detectShape, type Shape } from '../shape.ts'
import type { Served } from '../values/validate-url.ts'
import { applyValues, assembleDocument, type FieldValue } from './apply.ts'
import { type Container, parseContainer } from './containers/container.ts'
import { matchFlat } from './match-flat.ts'
import { matchNested } from './match-nested.ts'
import type { UnknownKeys } from './matched-field.ts'

export interface ReadContext {
  /** Set when a server delivered the document: its rules are stricter. */
  readonly served?: Served
  /** Overrides what the content looks like. */
  readonly shape?: Shape
  /** Set for a JSON file that is known not to be a dump of managed preferences. */
  readonly native?: true
}

export interface ReadResult {
  /** As the client would apply it; `undefined` when the file cannot be read at all. */
  readonly document: ConfigDocument | undefined
  readonly container: Container | undefined
  readonly shape: Shape | undefined
  /** The document's values one by one, with the path that the file uses for each. */
  readonly values: readonly FieldValue[]
  /** Valid values of credential kinds that the document does not use. */
  readonly unused: readonly FieldValue[]
  readonly kept: readonly UnknownKeys[]
  readonly findings: readonly Finding[]
}

/** Reads a document as the client does. Never throws on content: what cannot be used is dropped and named. */
export function readDocument(bytes: Uint8Array, context: ReadContext = {}): ReadResult {
  const { entries, findings, container } = parseContainer(bytes)
  if (!entries) return unreadable(findings, container)
  const { shape, findings: guessed } = resolveShape(entries, container, context)
  const placement =
    shape === 'nested' ? matchNested(entries) : matchFlat(entries, shape === 'managed' ? 'managed' : 'native')
  const applied = applyValues(placement.placed, context.served)
  return {
    document: assembleDocument(applied.values),
    container,
    shape,
    values: applied.values,
    unused: applyValues(placement.unused, context.served).values,
    kept: placement.kept,
    findings: [...findings, ...guessed, ...placement.findings, ...applied.findings],
  }
}

/** The reading of what could not be read, for whatever reason. */
export function unreadable(findings: readonly Finding[], container?: Container): ReadResult {
  return { document: undefined, container, shape: undefined, values: [], unused: [], kept: [], findings }
}

/** Property lists and registries hold managed preferences; a server never delivers any. */
function resolveShape(
  entries: RawObject,
  container: Container | undefined,
  context: ReadContext,
): { shape: Shape; findings: readonly Finding[] } {
  if (context.shape) return { shape: context.shape, findings: [] }
  if (container !== 'json') return { shape: 'managed', findings: [] }
  const shape = detectShape(entries)
  if (shape !== 'managed') return { shape, findings: [] }
  if (context.served || context.native) return { shape: 'flat', findings: [] }
  const guess = 'every value is text, so it is read as managed preferences'
  return {
    shape,
    findings: [
      finding(
        'read-as-managed',
        '',
        guess,
        'if it is a file or a served document, write numbers, booleans, arrays and objects as such',
      ),
    ],
  }
}
