import type { ConfigDocument } from '../document.ts'
import { antiquateDocument, type DocumentValue, modernizeDocument, valuesOf } from '../document-values.ts'
import { fromExpiryMs } from '../expiry.ts'
import { externalIdpSince } from '../fields.ts'
import type { UnknownKeys } from '../read/matched-field.ts'
import { compareReleases } from '../release.ts'
import { setIn, type Tree } from '../set-in.ts'
import type { Shape } from '../shape.ts'

export interface RenderOptions {
  /** Keys of no row, to be written where they stood; only of a document in the same form. */
  readonly kept?: readonly UnknownKeys[]
  /** The installed client. From 2.7032.0 on a sign-in with a provider has its own kind, and the flat form new keys. */
  readonly clientVersion?: string
}

/** The document in the nested form. */
export function renderNested(document: ConfigDocument, { kept = [] }: RenderOptions = {}): string {
  const tree: Tree = { $schemaVersion: 2 }
  for (const value of valuesOf(document)) setIn(tree, value.field.path.split('.'), written(value))
  for (const { keys, value } of kept) setIn(tree, keys, value)
  return renderJson(tree)
}

/** The document in the flat form with native values. */
export function renderFlat(document: ConfigDocument, options: RenderOptions = {}): string {
  return renderJson(flatEntries(document, options))
}

/** The document as managed preferences, in JSON. */
export function renderManaged(document: ConfigDocument, options: RenderOptions = {}): string {
  return renderJson(managedEntries(document, options))
}

export const renderers: Readonly<Record<Shape, (document: ConfigDocument, options?: RenderOptions) => string>> = {
  nested: renderNested,
  flat: renderFlat,
  managed: renderManaged,
}

/** Flat keys with native values. A field without a flat key keeps its name. */
function flatEntries(document: ConfigDocument, { kept = [], clientVersion }: RenderOptions): Tree {
  const tree: Tree = {}
  for (const value of valuesOf(spellFor(clientVersion, document))) {
    setIn(tree, (value.field.flat ?? value.field.path).split('.'), written(value))
  }
  for (const { keys, value } of kept) setIn(tree, keys, value)
  return tree
}

/** Where the client is not known, the flat form follows the document's own kind. */
function spellFor(clientVersion: string | undefined, document: ConfigDocument): ConfigDocument {
  if (clientVersion === undefined) return document
  const isModern = compareReleases(clientVersion, externalIdpSince) >= 0
  return isModern ? modernizeDocument(document) : antiquateDocument(document)
}

/** Flat keys with text values. A field without a flat key has no place there. */
export function managedEntries(document: ConfigDocument, options: RenderOptions): Record<string, string> {
  const { expiresAt: _, ...rest } = document
  const entries = Object.entries(flatEntries(rest, options))
  return Object.fromEntries(
    entries.map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  )
}

function written({ field, value }: DocumentValue): unknown {
  return field.path === 'expiresAt' ? fromExpiryMs(value as number) : value
}

function renderJson(tree: Tree): string {
  return `${JSON.stringify(tree, undefined, 2)}\n`
}
