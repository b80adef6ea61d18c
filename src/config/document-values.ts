import { isCredentialHeader } from '../runtime/text/credential-text.ts'
import type { ConfigDocument, Credential } from './document.ts'
import type { Field } from './field.ts'
import { fields } from './fields.ts'

/** A value of a document with its row of the field table. */
export interface DocumentValue {
  readonly field: Field
  readonly value: unknown
}

/** Lists the document's values in the table's order. An object is listed only if it is empty; otherwise its fields are. */
export function listValues(document: ConfigDocument): DocumentValue[] {
  const kind = document.inference?.credential?.kind
  return fields
    .filter((field) => !field.kind || field.kind === kind)
    .map((field) => ({ field, value: findValue(document, field.path) }))
    .filter(({ field, value }) => value !== undefined && (field.rule.type !== 'object' || isEmpty(value)))
}

/** Returns whether a document holds an API key, or a credential in a custom header. */
export function hasSecret(document: ConfigDocument): boolean {
  const headers = Object.entries(document.inference?.customHeaders ?? {})
  return (
    listValues(document).some(({ field }) => field.secret) ||
    headers.some(([name, value]) => isCredentialHeader(name, value))
  )
}

/** Replaces the deprecated spellings of the flat form: a sign-in with a provider becomes `external-idp`. */
export function toCurrentSpelling(document: ConfigDocument): ConfigDocument {
  const credential = document.inference?.credential
  if (credential?.kind !== 'interactive' || !credential.oidc) return document
  return withCredential(document, { ...credential, kind: 'external-idp' })
}

/** Adapts a document to clients that do not read the kind `external-idp`: the reverse of {@link toCurrentSpelling}. */
export function toDeprecatedSpelling(document: ConfigDocument): ConfigDocument {
  const credential = document.inference?.credential
  if (credential?.kind !== 'external-idp' || !credential.oidc) return document
  return withCredential(document, { ...credential, kind: 'interactive' })
}

function withCredential(document: ConfigDocument, credential: Credential): ConfigDocument {
  return { ...document, inference: { ...document.inference, credential } }
}

function findValue(document: ConfigDocument, path: string): unknown {
  return path.split('.').reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], document)
}

function isEmpty(value: unknown): boolean {
  return Object.keys(value as object).length === 0
}
