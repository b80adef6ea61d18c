import { type CredentialKind, credentialKinds } from '../document.ts'
import type { Field } from '../field.ts'
import { fields } from '../fields.ts'
import { createFinding, type Finding } from '../finding.ts'
import type { MatchedField } from './matched-field.ts'

interface FoundKind {
  /** `undefined` when the document has no source or several; clients guess then, so no kind is applied. */
  readonly kind: CredentialKind | undefined
  /** The kind as a matched field, where the document does not name it. */
  readonly implied: readonly MatchedField[]
  readonly findings: readonly Finding[]
}

/**
 * The kind of the document's credential: the one it names, else that of its only source.
 * @param present The rows of the credential's fields in the document.
 * @param path How the file spells `kind`.
 */
export function findKind(raw: unknown, present: readonly Field[], path: string): FoundKind {
  const named = credentialKinds.find((kind) => kind === raw)
  if (named) return { kind: named, implied: [], findings: [] }
  const sources = new Set(present.flatMap((field) => (field.source && field.kind ? [field.kind] : [])))
  if (sources.size > 1) return { kind: undefined, implied: [], findings: [reportTwoSources([...sources], path)] }
  const [kind] = sources
  const implied: MatchedField[] = kind ? [{ field: kindField, raw: kind, path, encoding: 'native' }] : []
  return { kind, implied, findings: raw === undefined && kind ? [reportOneSource(kind, path)] : [] }
}

/** The row of `kind`. */
export const kindField = fields.find((field) => field.path === 'inference.credential.kind')!

function reportTwoSources(kinds: readonly CredentialKind[], path: string): Finding {
  const message = `it is not set, and there are sources for ${kinds.map((kind) => `"${kind}"`).join(' and ')}; clients differ in which one they use`
  return createFinding(
    'kind-unset-two-sources',
    path,
    message,
    `set it to one of ${kinds.map((kind) => `"${kind}"`).join(', ')} and remove the fields of the others`,
  )
}

function reportOneSource(kind: CredentialKind, path: string): Finding {
  return createFinding('kind-unset', path, 'it is not set, so clients guess', `set it to "${kind}"`)
}
