import type { Finding } from '../../../config/finding.ts'

/** One file, or several by their paths in a folder, whose parts a slash separates. */
export type Content = string | Uint8Array | { readonly files: Readonly<Record<string, string | Uint8Array>> }

/** A rendered document, and findings about what it does not hold. */
export interface Rendered {
  readonly content: Content
  readonly findings: readonly Finding[]
}
