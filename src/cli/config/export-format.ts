import type { OperatingSystem } from '../../config/check/rule.ts'
import type { Finding } from '../../config/finding.ts'
import type { ReadResult } from '../../config/read/read-document.ts'

/** The options about a file besides its format. */
export interface ExportOptions {
  readonly clientVersion?: string
  readonly identifier?: string
  readonly organization?: string
  /** Files besides the document that a machine of each system has to have; scripts that compare it look for them. */
  readonly machineFiles?: Readonly<Partial<Record<OperatingSystem, readonly string[]>>>
  /** The page that compliance rules send people to. */
  readonly moreInfoUrl?: string
}

/** One form of a document that a platform's own tools, or a management system, accept. */
export interface ExportFormat {
  /** The kind of file, for the help. */
  readonly summary: string
  /** The system that reads it: the document is checked for it. */
  readonly os: OperatingSystem
  /** `undefined` for a document that could not be read. */
  readonly render: (result: ReadResult, options: ExportOptions) => Rendered | undefined
  /** Renders a file that removes all known keys and these, or names another way and its reason (by default: the file is replaced). */
  readonly undo: ((names: readonly string[]) => ExportContent) | { readonly hint: string; readonly reason?: string }
  /** The next step with the file of this name, in one line. */
  readonly renderNext?: (file: string) => string
}

/** One file, or several by their paths in a folder, whose parts a slash separates. */
export type ExportContent = string | Uint8Array | { readonly files: Readonly<Record<string, string | Uint8Array>> }

/** A rendered document, and findings about what it does not hold. */
export interface Rendered {
  readonly content: ExportContent
  readonly findings: readonly Finding[]
}
