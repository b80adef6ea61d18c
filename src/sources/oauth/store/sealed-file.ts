import { parseObject } from '../../../runtime/values/json-value.ts'
import type { KeyName } from './sealed-location.ts'

/** The format is raised whenever an older version would misread the file. */
export const sealedFormat = 1

/** The first line. A key in a file is not named, as in files from before there were other places. */
export function renderHeader({
  id,
  keyName,
  isChallenged,
}: Pick<SealedFile, 'id' | 'keyName' | 'isChallenged'>): string {
  const key = keyName === 'file' ? {} : { key: keyName }
  return JSON.stringify({ format: sealedFormat, id, ...key, ...(isChallenged && { challenged: true }) })
}

/** A file with a sign-in: a readable line, and a line that only the key opens. */
export interface SealedFile {
  readonly format: number
  /** The id of the sign-in. It is in the same file as the tokens, so that the two agree even after a kill. */
  readonly id: string
  readonly keyName: KeyName
  /** Whether the provider renews it only after the person has signed in anew. */
  readonly isChallenged: boolean
  /** The first line. The seal covers it too: if it is changed, the second line cannot be opened. */
  readonly header: string
  readonly body: string
}

/** Reads a file of any format; `undefined` for anything else. */
export function parseSealedFile(text: string): SealedFile | undefined {
  const [header = '', body = ''] = text.split('\n')
  const { format, id, key, challenged } = parseObject(header) ?? {}
  if (typeof format !== 'number' || typeof id !== 'string') return undefined
  const keyName = key === 'keychain' ? key : 'file'
  return { format, id, keyName, isChallenged: challenged === true, header, body }
}
