import type { RawObject } from '../../runtime/json/json-value.ts'
import { locateFindings, noPositions, type Positions } from '../../runtime/json/position.ts'
import type { ConfigDocument } from '../document.ts'
import type { Finding } from '../finding.ts'
import { createFinding } from '../finding.ts'
import { detectShape, type Shape } from '../shape.ts'
import type { Served } from '../values/validate-url.ts'
import { type Container, parseContainer } from './containers/container.ts'
import { matchFlat } from './match-flat.ts'
import { matchNested } from './match-nested.ts'
import type { UnknownKeys } from './matched-field.ts'
import { buildDocument, type FieldValue, parseFields } from './parse-fields.ts'

/** What the caller knows of a document beside its bytes. */
export interface ReadOptions {
  /** Set when a server delivered the document, for which stricter rules hold. */
  readonly served?: Served
  /** The shape to read it in; absent, the content decides. */
  readonly shape?: Shape
  /** Set for a JSON file that is known not to be a dump of managed preferences. */
  readonly native?: true
}

/** What a client makes of a document. */
export interface ReadResult {
  /** As the client would apply it; `undefined` when the file cannot be read at all. */
  readonly document: ConfigDocument | undefined
  readonly container: Container | undefined
  readonly shape: Shape | undefined
  /** The document's values one by one, with the path that the file uses for each. */
  readonly values: readonly FieldValue[]
  /** Valid values of credential kinds that the document does not use. */
  readonly unused: readonly FieldValue[]
  readonly unknownKeys: readonly UnknownKeys[]
  readonly findings: readonly Finding[]
  /** Where the values are in the file; empty where its form has no lines. */
  readonly positions: Positions
}

/** Reads a document as the client does. It never throws on content: an unusable value is dropped, with a finding. */
export function readDocument(bytes: Uint8Array, options: ReadOptions = {}): ReadResult {
  const { entries, findings, container, positions = noPositions } = parseContainer(bytes)
  if (!entries) return toUnreadable(findings, container)
  const { shape, findings: shapeFindings } = resolveShape(entries, container, options)
  const settings = container === 'json' ? omitSchema(entries) : entries
  const matches =
    shape === 'nested' ? matchNested(settings) : matchFlat(settings, shape === 'managed' ? 'managed' : 'native')
  const parsed = parseFields(matches.matched, options.served)
  return {
    document: buildDocument(parsed.values),
    container,
    shape,
    values: parsed.values,
    unused: parseFields(matches.unused, options.served).values,
    unknownKeys: matches.unknownKeys,
    findings: locateFindings([...findings, ...shapeFindings, ...matches.findings, ...parsed.findings], positions),
    positions,
  }
}

/** The result for a document that cannot be read, with the findings that say why. */
export function toUnreadable(findings: readonly Finding[], container?: Container): ReadResult {
  return {
    document: undefined,
    container,
    shape: undefined,
    values: [],
    unused: [],
    unknownKeys: [],
    findings,
    positions: noPositions,
  }
}

/** `$schema` tells an editor which schema to use; clients ignore it, and no conversion writes it. */
function omitSchema({ $schema, ...settings }: RawObject): RawObject {
  return $schema === undefined || typeof $schema === 'string' ? settings : { $schema, ...settings }
}

/** Property lists and registry files hold managed preferences; a server never delivers managed preferences. */
function resolveShape(
  entries: RawObject,
  container: Container | undefined,
  options: ReadOptions,
): { shape: Shape; findings: readonly Finding[] } {
  if (options.shape) return { shape: options.shape, findings: [] }
  if (container !== 'json') return { shape: 'managed', findings: [] }
  const shape = detectShape(entries)
  if (shape !== 'managed') return { shape, findings: [] }
  if (options.served || options.native) return { shape: 'flat', findings: [] }
  const guess = 'every value is text, so it is read as managed preferences'
  return {
    shape,
    findings: [
      createFinding(
        'read-as-managed',
        '',
        guess,
        'if it is a file or a served document, write numbers, booleans, arrays and objects as such',
      ),
    ],
  }
}
