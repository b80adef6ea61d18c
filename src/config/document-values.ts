import type { ConfigDocument, Credential } from './document.ts'
import type { Field } from './field.ts'
import { fields } from './fields.ts'

/** A value of a document with its row. */
export interface DocumentValue {
  readonly field: Field
  readonly value: unknown
}

/** The document's values in the table's order; objects are given by what is in them. */
export function valuesOf(document: ConfigDocument): DocumentValue[] {
  const kind = document.inference?.credential?.kind
  return fields
    .filter((field) => field.rule.type !== 'cluster' && (!field.kind || field.kind === kind))
    .map((field) => ({ field, value: valueAt(document, field.path) }))
    .filter(({ value }) => value !== undefined)
}

/** The same document without what is deprecated in the flat form: a sign-in with a provider is `external-idp`. */
export function modernizeDocument(document: ConfigDocument): ConfigDocument {
  const credential = document.inference?.credential
  if (credential?.kind !== 'interactive' || !credential.oidc) return document
  return withCredential(document, { ...credential, kind: 'external-idp' })
}

/** The same document as clients know it that have no `external-idp`: the reverse of {@link modernizeDocument}. */
export function antiquateDocument(document: ConfigDocument): ConfigDocument {
  const credential = document.inference?.credential
  if (credential?.kind !== 'external-idp' || !credential.oidc) return document
  return withCredential(document, { ...credential, kind: 'interactive' })
}

function withCredential(document: ConfigDocument, credential: Credential): ConfigDocument {
  return { ...document, inference: { ...document.inference, credential } }
}

function valueAt(document: ConfigDocument, path: string): unknown {
  return path.split('.').reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], document)
}
