// Folder: `gatepass config edit`: a local page for editing a document.

import type { CredentialKind, ValueRule } from '../../../config/field.ts'
import type { Finding } from '../../../config/finding.ts'
import type { Shape } from '../../../config/read/read-document.ts'

/** A row of the field table for the page. */
export interface ShownField {
  /** Distinguishes rows of different credential kinds that share a path. */
  readonly id: string
  readonly path: string
  /** The path of the object that holds it; empty for a field of the document itself. */
  readonly parent: string
  readonly kind?: CredentialKind
  readonly rule: ValueRule
  readonly meaning: string
  /** The type and the limits in words. */
  readonly limits: string
  readonly isSecret: boolean
  /** Whether people must consent to a first or changed value. */
  readonly isAsked: boolean
  /** The default, the first release, the flat key and other facts: short sentences, in which backticks mark code. */
  readonly facts: readonly string[]
}

/** The content of the edited file. `digest` is that of its bytes, or {@link absentDigest}. */
export interface FileContent {
  readonly text: string
  readonly digest: string
}

/** The digest of a file that does not exist yet. */
export const absentDigest = 'absent'

/** The header for the key of a session; a page of another origin may not send it (Fetch, section 3.2, CORS). */
export const keyHeader = 'x-page-key'

/** The facts that the page needs once. */
export interface OpenedPage {
  /** The key in every later request. */
  readonly session: string
  readonly name: string
  readonly file: FileContent
  /** The first text: that of the file, or of a new document. */
  readonly text: string
  readonly release: string
  readonly fields: readonly ShownField[]
  readonly systems: readonly { readonly name: string; readonly title: string }[]
  readonly formats: readonly { readonly name: string; readonly summary: string }[]
  readonly scenarios: readonly { readonly name: string; readonly summary: string; readonly kind: string }[]
}

/** A finding with the id of the row to which it belongs, if there is one. */
export type ShownFinding = Finding & { readonly field?: string }

/** The result of checking a text. */
export interface Examined {
  /** `undefined` for a text that cannot be read even with comments. */
  readonly shape: Shape | undefined
  readonly kind: CredentialKind | undefined
  /** The keys that lead to each field, by its id, whether it is set or not; a field that this form cannot contain is omitted. */
  readonly keys: Readonly<Record<string, readonly string[]>>
  readonly findings: readonly ShownFinding[]
  readonly conclusion: string
  /** The first release that reads each value, oldest first. */
  readonly releases: readonly { readonly release: string; readonly paths: readonly string[] }[]
}

/** A difference in what a client would apply, in words. */
export interface ShownDifference {
  readonly path: string
  readonly before: string
  readonly after: string
  readonly isAsked: boolean
}

/** The differences between a document and the text in the page. */
export interface Compared {
  /** The other document, in words; `undefined` if none is installed. */
  readonly source: string | undefined
  /** Why no comparison was possible; empty if it was. */
  readonly problem: string
  readonly differences: readonly ShownDifference[]
}

/** The files of an export, or the problem that prevents it. */
export interface ExportedFiles {
  readonly problem: string
  readonly findings: readonly Finding[]
  /** The contents in base64, because some are binary. */
  readonly files: readonly { readonly name: string; readonly content: string }[]
  /** The next step with the files; empty without one. */
  readonly next: string
}

/** A drawing of a working day with the document. */
export interface DrawnDay {
  readonly problem: string
  readonly isWell: boolean
  readonly verdict: string
  readonly numbers: readonly { readonly name: string; readonly value: string }[]
  readonly conclusions: readonly string[]
  /** HTML in which every foreign text is escaped. */
  readonly timeline: string
}

/** The result of saving: the present content, and whether it is the sent one. */
export interface Saved {
  readonly isSaved: boolean
  readonly file: FileContent
}
