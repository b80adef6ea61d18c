// Folder: `gatepass config edit`: a page of this machine alone in which a document is edited.

import type { CredentialKind } from '../../../config/document.ts'
import type { ValueRule } from '../../../config/field.ts'
import type { Finding } from '../../../config/finding.ts'
import type { Shape } from '../../../config/read/read-document.ts'

/** A row of the field table as the page shows it. */
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
  /** Whether people are asked before a first or changed value takes effect. */
  readonly isAsked: boolean
  /** The default, the first release, the flat key and other facts: short sentences, in which backticks mark code. */
  readonly facts: readonly string[]
}

/** The content of the edited file. `digest` is that of its bytes, or {@link absentDigest}. */
export interface FileContent {
  readonly text: string
  readonly digest: string
}

/** Stands for the digest of a file that does not exist yet. */
export const absentDigest = 'absent'

/** Everything that the page has to know once. */
export interface OpenedPage {
  /** The key that every later request shows. */
  readonly session: string
  readonly name: string
  readonly file: FileContent
  /** The text to begin with: that of the file, or of a new document. */
  readonly text: string
  readonly release: string
  readonly fields: readonly ShownField[]
  readonly systems: readonly { readonly name: string; readonly title: string }[]
  readonly formats: readonly { readonly name: string; readonly summary: string }[]
  readonly scenarios: readonly { readonly name: string; readonly summary: string; readonly kind: string }[]
}

/** A finding with the id of the row to which it belongs, if there is one. */
export type ShownFinding = Finding & { readonly field?: string }

/** A text as the checker sees it. */
export interface Examined {
  /** `undefined` if the text cannot be read even with comments in it. */
  readonly shape: Shape | undefined
  readonly kind: CredentialKind | undefined
  /** The keys that lead to each field, by its id, whether it is set or not; a field that this form cannot hold is left out. */
  readonly keys: Readonly<Record<string, readonly string[]>>
  readonly findings: readonly ShownFinding[]
  readonly conclusion: string
  /** The first release that reads each value, the oldest first. */
  readonly releases: readonly { readonly release: string; readonly paths: readonly string[] }[]
}

/** A difference in what a client would apply, in words. */
export interface ShownDifference {
  readonly path: string
  readonly before: string
  readonly after: string
  readonly isAsked: boolean
}

/** The difference between a document and the text in the page. */
export interface Compared {
  /** The other document, in words; `undefined` if nothing is installed. */
  readonly source: string | undefined
  /** Why nothing could be compared; empty if it was. */
  readonly problem: string
  readonly differences: readonly ShownDifference[]
}

/** The files of an export, or the reason why there are none. */
export interface ExportedFiles {
  readonly problem: string
  readonly findings: readonly Finding[]
  /** Contents in base64, because some are bytes. */
  readonly files: readonly { readonly name: string; readonly content: string }[]
  /** The next step with the files; empty if there is none to name. */
  readonly next: string
}

/** A working day with the document, drawn. */
export interface DrawnDay {
  readonly problem: string
  readonly isWell: boolean
  readonly verdict: string
  readonly numbers: readonly { readonly name: string; readonly value: string }[]
  readonly conclusions: readonly string[]
  /** HTML in which every foreign text is escaped. */
  readonly timeline: string
}

/** The result of saving: the content as it now is, and whether it is the one that was sent. */
export interface Saved {
  readonly isSaved: boolean
  readonly file: FileContent
}
