// Folder: reads a document from bytes as the client does: containers, deprecated spellings, unknown keys.

import { nestedSchemaVersion } from '../../contract/served-document.ts'
import { isObject, type RawObject } from '../../runtime/values/json-value.ts'
import { joinPath, locateFindings, noPositions, type Positions } from '../../runtime/values/position.ts'
import { vendor } from '../../vendor.ts'
import type { ConfigDocument } from '../document.ts'
import type { CredentialKind } from '../field.ts'
import { fields, flatKeys } from '../fields.ts'
import { createFinding, type Finding, type Raw } from '../finding.ts'
import { type Encoding, parseManaged, type Served } from '../parse-value.ts'
import {
  type Container,
  detectContainer,
  findForeignObject,
  findForeignText,
  maxBytes,
  reportTooLarge,
} from './container.ts'
import { type FlatEntry, kindField, selectKind, toCurrentKeys } from './deprecations.ts'
import { parseJson } from './json.ts'
import {
  findSimilar,
  isForeignProvider,
  matchNested,
  matchObject,
  matchUnused,
  reportForeignProvider,
  reportNotInSpecification,
  reportOutsideSpecification,
  reportUnknownField,
  trustAnchorKeys,
} from './match-nested.ts'
import { parseOmaUri } from './oma-uri.ts'
import {
  buildDocument,
  type FieldMatches,
  type FieldValue,
  type MatchedField,
  mergeMatches,
  noMatches,
  parseFields,
  type UnknownKeys,
} from './parse-fields.ts'
import { parsePropertyList } from './property-list.ts'
import { parseRegistry } from './registry.ts'

/** The forms of a document. `managed`: flat keys with text values, as management tools deliver them. */
export const shapes = ['nested', 'flat', 'managed'] as const
/** The form in which a document spells its keys. */
export type Shape = (typeof shapes)[number]

/** The known facts about a document besides its bytes. */
export interface ReadOptions {
  /** Set when a server delivered the document, for which stricter rules hold. */
  readonly served?: Served
  /** The shape to read it in. Absent: the content decides. */
  readonly shape?: Shape | undefined
  /** Set for a JSON file that is known not to be a dump of managed preferences. */
  readonly native?: true
  /** The path of its file, for the commands in hints. */
  readonly path?: string
}

/** A document as the client reads it, with findings. */
export interface ReadResult {
  /** The settings that the client would apply; `undefined` if the file cannot be read at all. */
  readonly document: ConfigDocument | undefined
  readonly container: Container | undefined
  readonly shape: Shape | undefined
  /** The document's values one by one, with the path that the file uses for each. */
  readonly values: readonly FieldValue[]
  /** Valid values of credential kinds that the document does not use. */
  readonly unused: readonly FieldValue[]
  readonly unknownKeys: readonly UnknownKeys[]
  readonly findings: readonly Finding[]
  /** The positions of the values in the file; empty if its form has no lines. */
  readonly positions: Positions
}

/** Parses a document as the client does. It never throws on content: an unusable value is dropped, with a finding. */
export function parseDocument(bytes: Uint8Array, options: ReadOptions = {}): ReadResult {
  const { entries, findings, container, positions = noPositions } = parseContainer(bytes, options.path)
  if (!entries) return toUnreadable(findings, container)
  const { shape, findings: shapeFindings } = selectShape(entries, container, options)
  const written = container === 'json' ? omitSchema(entries) : entries
  const anchor = options.served ? Object.keys(written).filter((key) => trustAnchorKeys.test(key)) : []
  const settings = Object.fromEntries(Object.entries(written).filter(([key]) => !anchor.includes(key)))
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
    findings: locateFindings(
      [...findings, ...shapeFindings, ...anchor.map(reportTrustAnchor), ...matches.findings, ...parsed.findings],
      positions,
    ),
    positions,
  }
}

/** Parses the entries of a document in any container; `container` is `undefined` if the file is too large to look at. */
function parseContainer(bytes: Uint8Array, path: string | undefined): Raw & { container: Container | undefined } {
  if (bytes.length > maxBytes) return { entries: undefined, findings: [reportTooLarge()], container: undefined }
  const container = detectContainer(bytes)
  const foreign = findForeignText(Buffer.from(bytes.subarray(0, 1024)).toString('utf8'))
  if (foreign) return { entries: undefined, findings: [foreign], container }
  const raw = parsers[container](bytes)
  const other = raw.entries && container === 'json' ? findForeignObject(raw.entries, path) : undefined
  return other ? { entries: undefined, findings: [other], container } : { ...raw, container }
}

const parsers: Readonly<Record<Container, (bytes: Uint8Array) => Raw>> = {
  json: parseJson,
  'property-list': parsePropertyList,
  registry: parseRegistry,
  'oma-uri': parseOmaUri,
}

/** Creates the result for a document that cannot be read, with the findings that say why. */
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

/**
 * Selects the shape: the one that the caller names; else managed preferences for a property list or a registry file; else by the entries,
 * where a document that is served or a client's own is never managed preferences.
 */
function selectShape(
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

/** Removes `$schema`, which names a schema for editors. Clients ignore it, and no conversion writes it. */
function omitSchema({ $schema, ...settings }: RawObject): RawObject {
  return $schema === undefined || typeof $schema === 'string' ? settings : { $schema, ...settings }
}

/**
 * Detects the shape of a JSON object. `$schemaVersion` 2 or a cluster marks the nested shape; an object without a flat key is nested too,
 * so that an empty document is valid. A flat document whose values are all text is managed, if one of its fields has another type.
 */
function detectShape(entries: RawObject): Shape {
  const known = Object.keys(entries).filter((key) => flatKeys.includes(key))
  if (entries.$schemaVersion === nestedSchemaVersion || Object.hasOwn(entries, 'inference') || known.length === 0)
    return 'nested'
  const allText = Object.values(entries).every((value) => typeof value === 'string')
  return allText && known.some(isNotText) ? 'managed' : 'flat'
}

function isNotText(key: string): boolean {
  return fields.some((field) => field.flat === key && field.rule.type !== 'text')
}

/** Fields without a flat key, which a flat JSON document holds under their nested names. */
const namesWithoutKey = ['$schemaVersion', 'expiresAt']

/** Finds the row of every value in a flat document, after deprecated spellings are replaced. */
function matchFlat(entries: RawObject, encoding: Encoding): FieldMatches {
  const isForeign = isForeignProvider(entries.inferenceProvider)
  const isKnown = (key: string) => flatKeys.includes(key) && !isForeign
  const known = Object.entries(entries).filter(([key]) => isKnown(key))
  const others = Object.entries(entries).filter(([key]) => !isKnown(key))
  const current = toCurrentKeys(new Map(known.map(([key, raw]) => [key, { raw }])))
  const present = [...current.entries.keys()].map((key) => fields.find((field) => field.flat === key)!)
  const { kind, implied, findings } = selectKind(current.entries.get(kindKey)?.raw, present, kindKey)
  return mergeMatches([
    { ...noMatches, matched: implied, findings: [...current.findings, ...findings] },
    ...[...current.entries].map(([key, entry]) => matchKnown(key, entry, kind, encoding)),
    ...others.map(([key, raw]) => matchOther(key, raw, encoding, isForeign ? 'foreign' : 'own')),
  ])
}

const kindKey = kindField.flat!

function reportTrustAnchor(key: string): Finding {
  const message = 'it says where documents come from, which no served document can'
  const hint = 'remove it, and set it on the devices by their management'
  return createFinding('trust-anchor-served', joinPath('', key), message, hint)
}

function matchKnown(key: string, entry: FlatEntry, kind: CredentialKind | undefined, encoding: Encoding): FieldMatches {
  const rows = fields.filter((field) => field.flat === key)
  const field = rows.find((row) => row.kind === undefined || row.kind === kind)
  const path = joinPath('', entry.spelledAs?.flat ?? key)
  if (!field) return matchUnused({ field: rows[0]!, raw: entry.raw, path, encoding }, kind)
  const match = { field, path, encoding, ...entry }
  if (field.rule.type === 'object') return matchInside(match)
  return { ...noMatches, matched: [match], findings: field.observed ? [reportNotInSpecification(path)] : [] }
}

/**
 * Matches the fields inside the flat value of `oidc`, which is an object. Names and values inside it, and inside its managed text, are
 * those of the nested form.
 */
function matchInside(outer: MatchedField): FieldMatches {
  const { field, path, spelledAs } = outer
  const { value, findings } = parseManaged(field.rule, outer.raw, path)
  if (!isObject(value)) return { ...noMatches, matched: value === undefined ? [] : [outer], findings }
  const inner = matchObject(value, { parent: field.path, path, keys: [field.flat!], kind: field.kind })
  const addSpelling = (match: MatchedField): MatchedField => {
    const old = spelledAs && fields.find((other) => other.path === match.field.path && other.kind === spelledAs.kind)
    return old ? { ...match, spelledAs: old } : match
  }
  const own: MatchedField = { ...outer, raw: value, encoding: 'native' }
  return { ...inner, matched: [own, ...inner.matched.map(addSpelling)], findings: [...findings, ...inner.findings] }
}

/** The provider in the document: the gateway of this specification, or another one. */
type DocumentProvider = 'own' | 'foreign'

function matchOther(key: string, raw: unknown, encoding: Encoding, provider: DocumentProvider): FieldMatches {
  const path = joinPath('', key)
  const field = namesWithoutKey.includes(key) && fields.find((row) => row.path === key)
  if (field && encoding === 'native') return { ...noMatches, matched: [{ field, raw, path, encoding }] }
  if (field) {
    return {
      ...noMatches,
      findings: [createFinding('no-managed-key', path, 'managed preferences have no such key', 'remove it')],
    }
  }
  return { ...noMatches, unknownKeys: [{ keys: [key], value: raw }], findings: [reportOther(key, path, provider)] }
}

function reportOther(key: string, path: string, provider: DocumentProvider): Finding {
  if (provider === 'foreign' && key === 'inferenceProvider') return reportForeignProvider(path)
  return isOutside(key, provider) ? reportOutsideSpecification(path) : reportUnknownField(path, key, flatKeys)
}

/** Returns whether a key belongs to another cluster, to the cloud provider, or to the provider that the document names instead. */
function isOutside(key: string, provider: DocumentProvider): boolean {
  if (provider === 'foreign' && key.startsWith('inference')) return true
  if (findSimilar(key, flatKeys)) return false
  return !key.startsWith('inference') || key.startsWith(`inference${vendor.cloudWord}`)
}
