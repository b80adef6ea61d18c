import { parseObject } from '../../../../runtime/parse-object.ts'

/** Raised whenever an older version would misread the file. */
export const sealedFormat = 1

/** A file with a sign-in: a line that everybody may read, and a line that only the key opens. */
export interface SealedFile {
  readonly format: number
  /** Of the sign-in; it stands in the same file as the tokens, so that the two cannot disagree after a kill. */
  readonly id: string
  /** The first line, which is sealed too: changed, the second cannot be opened. */
  readonly header: string
  readonly body: string
}

/** The first line. */
export function renderHeader(id: string): string {
  return JSON.stringify({ format: sealedFormat, id })
}

/** Reads a file of any format; `undefined` for anything else. */
export function parseSealedFile(text: string): SealedFile | undefined {
  const [header = '', body = ''] = text.split('\n')
  const { format, id } = parseObject(header) ?? {}
  return typeof format === 'number' && typeof id === 'string' ? { format, id, header, body } : undefined
}
