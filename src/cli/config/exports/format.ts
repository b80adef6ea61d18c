import type { OperatingSystem } from '../../../config/check/rule.ts'
import type { ReadResult } from '../../../config/read/document.ts'
import type { Content, Rendered } from './rendered.ts'

/** What the command line says of a file beside its format. */
export interface ExportOptions {
  readonly clientVersion?: string
  readonly identifier?: string
  readonly organization?: string
  /** The page that compliance rules send people to. */
  readonly moreInfoUrl?: string
}

/** One form in which a platform's own tools, or a management system, take a document. */
export interface ExportFormat {
  /** What is written, for the help. */
  readonly summary: string
  /** The system that reads it: the document is checked for it. */
  readonly os: OperatingSystem
  /** `undefined` for a document that could not be read. */
  readonly render: (result: ReadResult, options: ExportOptions) => Rendered | undefined
  /** Renders what takes all known keys and these away again, or says how else that is done, and why (by default: a file is replaced). */
  readonly undo: ((names: readonly string[]) => Content) | { readonly hint: string; readonly reason?: string }
  /** What a person does with the file of this name, in one line. */
  readonly renderNext?: (file: string) => string
}
