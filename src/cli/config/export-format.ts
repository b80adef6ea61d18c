import type { OperatingSystem } from '../../config/check/rule.ts'
import type { Finding } from '../../config/finding.ts'
import type { ReadResult } from '../../config/read/read-document.ts'

/** The options for a file besides its format. */
export interface ExportOptions {
  readonly clientVersion?: string | undefined
  readonly identifier?: string | undefined
  readonly organization?: string | undefined
  /** Further files that a machine of each system must have; comparing scripts check them. */
  readonly machineFiles?: Readonly<Partial<Record<OperatingSystem, readonly string[]>>>
  /** The page to which compliance rules send people. */
  readonly moreInfoUrl?: string | undefined
}

/** A form of a document that a platform's own tools, or a management system, accept. */
export interface ExportFormat {
  /** The kind of file, for the help. */
  readonly summary: string
  /** Its name in the folder of its system; the name of a folder for a format that is several files. */
  readonly file: string
  /** The name under which a browser saves it; absent: {@link file}. */
  readonly savedAs?: string
  /** The system that reads it, and for which the document is checked. */
  readonly os: OperatingSystem
  /** `undefined` for an unreadable document. */
  readonly render: (result: ReadResult, options: ExportOptions) => Rendered | undefined
  /** Renders a file that removes all known keys and these, or names another way and its reason (by default: the file is replaced). */
  readonly undo: ((names: readonly string[]) => ExportContent) | { readonly hint: string; readonly reason?: string }
  /** The next step with the file of this name, in one line. */
  readonly renderNext?: (file: string) => string
}

/** One file, or several by their paths in a folder, with slashes. */
export type ExportContent = string | Uint8Array | { readonly files: Readonly<Record<string, string | Uint8Array>> }

/** A rendered document, and findings about values that it does not contain. */
export interface Rendered {
  readonly content: ExportContent
  readonly findings: readonly Finding[]
}
