/** The file that a document was read from; `undefined` for standard input and for a URL. */
export function findFile(source: string): string | undefined {
  return source === '-' || /^https?:\/\//i.test(source) ? undefined : source
}
