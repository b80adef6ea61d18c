/** An entry of a package. Its path begins at the root, without a slash. Its owner is root. */
export type Entry =
  | { readonly path: string; readonly kind: 'file'; readonly content: Buffer; readonly mode: number }
  /** A directory that belongs to the package; others are created as they are needed. */
  | { readonly path: string; readonly kind: 'directory' }
  /** A hard link to the path of an earlier entry. */
  | { readonly path: string; readonly kind: 'link'; readonly to: string }
  | { readonly path: string; readonly kind: 'symlink'; readonly to: string }
