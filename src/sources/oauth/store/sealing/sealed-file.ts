import { parseObject } from '../../../../runtime/parse-object.ts'
import type { KeyName } from './sealed-place.ts'

/** Raised whenever an older version would misread the file. */
export const sealedFormat = 1

/** A file with a sign-in: a line that everybody may read, and a line that only the key opens. */
export interface SealedFile {
  readonly format: number
  /** Of the sign-in; it stands in the same file as the tokens, so that the two cannot disagree after a kill. */
  readonly id: string
  readonly keyName: KeyName
  /** The first line, which is sealed too: changed, the second cannot be opened. */
  readonly header: string
  readonly body: string
}

/** The first line. A key in a file is not named, as in every file before there were others. */
export function renderHeader(id: string, keyName: KeyName): string {
  return JSON.stringify({ format: sealedFormat, id, ...(keyName === 'file' ? {} : { key: keyName }) })
}

/** Reads a file of any format; `undefined` for anything else. */
export function parseSealedFile(text: string): SealedFile | undefined {
  const [header = '', body = ''] = text.split('\n')
  const { format, id, key } = parseObject(header) ?? {}
  const keyName = key === 'keychain' ? key : 'file'
  return typeof format === 'number' && typeof id === 'string' ? { format, id, keyName, header, body } : undefined
}
