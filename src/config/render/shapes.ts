// Renders a document in each shape; `convert.ts` renders what was read from a file.

import { nestedSchemaVersion } from '../../contract/served-document.ts'
import { escapeControls } from '../../runtime/text/escape.ts'
import { renderJson } from '../../runtime/values/json-value.ts'
import { compareReleases } from '../define-field.ts'
import { type ConfigDocument, fromExpiryMs } from '../document.ts'
import { type DocumentValue, listValues, toCurrentSpelling, toDeprecatedSpelling } from '../document-values.ts'
import { findFlatKeys } from '../field.ts'
import { externalIdpSince } from '../fields.ts'
import type { UnknownKeys } from '../read/parse-fields.ts'
import type { Shape } from '../read/read-document.ts'
import { setIn, type Tree } from '../set-in.ts'

export function renderNested(document: ConfigDocument, options: RenderOptions = {}): string {
  const { unknownKeys = [], clientVersion } = options
  const tree: Tree = { $schemaVersion: nestedSchemaVersion }
  // The nested form has no deprecated spelling, so only a client that is too old gets another one.
  const spelled = isBeforeExternalIdp(clientVersion) ? toDeprecatedSpelling(document) : document
  for (const value of listValues(spelled)) setIn(tree, value.field.path.split('.'), toWrittenValue(value))
  for (const { keys, value } of unknownKeys) setIn(tree, keys, value)
  return renderTree(tree)
}

interface RenderOptions {
  /** Unknown keys to write back, from a document in the same form. */
  readonly unknownKeys?: readonly UnknownKeys[]
  /** Release of the installed client. Absent: a sign-in is spelled by the document's own kind. */
  readonly clientVersion?: string | undefined
}

/** The function that renders a document, by the shape that comes out. */
export const renderers: Readonly<Record<Shape, (document: ConfigDocument, options?: RenderOptions) => string>> = {
  nested: renderNested,
  flat: renderFlat,
  managed: renderManaged,
}

/** Renders a document in the flat form with native values. */
function renderFlat(document: ConfigDocument, options: RenderOptions = {}): string {
  return renderTree(toFlatTree(document, options))
}

/** Renders a document as managed preferences, in JSON. */
function renderManaged(document: ConfigDocument, options: RenderOptions = {}): string {
  return renderTree(toManagedEntries(document, options))
}

/** Converts a document to flat keys with native values. A field without a flat key keeps its name. */
function toFlatTree(document: ConfigDocument, { unknownKeys = [], clientVersion }: RenderOptions): Tree {
  const tree: Tree = {}
  for (const value of listValues(toSpellingOf(clientVersion, document))) {
    setIn(tree, findFlatKeys(value.field) ?? value.field.path.split('.'), toWrittenValue(value))
  }
  for (const { keys, value } of unknownKeys) setIn(tree, keys, value)
  return tree
}

/** Converts a document to the spelling of this client release; unchanged if the release is not known. */
function toSpellingOf(clientVersion: string | undefined, document: ConfigDocument): ConfigDocument {
  if (clientVersion === undefined) return document
  return isBeforeExternalIdp(clientVersion) ? toDeprecatedSpelling(document) : toCurrentSpelling(document)
}

function isBeforeExternalIdp(clientVersion: string | undefined): boolean {
  return clientVersion !== undefined && compareReleases(clientVersion, externalIdpSince) < 0
}

/** Converts a document to flat keys with text values, without fields that have no flat key. */
export function toManagedEntries(document: ConfigDocument, options: RenderOptions): Record<string, string> {
  const { expiresAt: _, ...rest } = document
  const entries = Object.entries(toFlatTree(rest, options))
  return Object.fromEntries(
    entries.map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  )
}

function toWrittenValue({ field, value }: DocumentValue): unknown {
  return field.path === 'expiresAt' ? fromExpiryMs(value as number) : value
}

function renderTree(tree: Tree): string {
  return escapeControls(renderJson(tree))
}
