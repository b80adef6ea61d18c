import { parseObject } from '../../../runtime/values/json-value.ts'
import type { KeyName } from './sealed-location.ts'

/** The format is raised whenever an older version would misread the file. */
export const sealedFormat = 1

/** The first line. A key in a file is not named, as in files from before there were other places. */
export function renderHeader(id: string, keyName: KeyName): string {
  return JSON.stringify({ format: sealedFormat, id, ...(keyName === 'file' ? {} : { key: keyName }) })
}

/** A file with a sign-in: a readable line, and a line that only the key opens. */
interface SealedFile {
  readonly format: number
  /** The id of the sign-in. It is in the same file as the tokens, so that the two agree even after a kill. */
  readonly id: string
  readonly keyName: KeyName
  /** The first line. The seal covers it too: if it is changed, the second line cannot be opened. */
  readonly header: string
  readonly body: string
}

/** Reads a file of any format; `undefined` for anything else. */
export function parseSealedFile(text: string): SealedFile | undefined {
  const [header = '', body = ''] = text.split('\n')
  const { format, id, key } = parseObject(header) ?? {}
  const keyName = key === 'keychain' ? key : 'file'
  return typeof format === 'number' && typeof id === 'string' ? { format, id, keyName, header, body } : undefined
}
