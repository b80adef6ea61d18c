// Holds the form of an encrypted file: a line in the clear, and an encrypted line.

import { parseObject } from '../../../runtime/values/json-value.ts'
import type { KeyName } from './sealed-location.ts'

/** Increased when an older version would misread the file. */
export const sealedFormat = 1

/** Renders the first line. It names the location of the key unless that is a file, as in files from before there was another location. */
export function renderHeader({
  id,
  keyName,
  isChallenged,
}: Pick<SealedFile, 'id' | 'keyName' | 'isChallenged'>): string {
  const key = keyName === 'file' ? {} : { key: keyName }
  return JSON.stringify({ format: sealedFormat, id, ...key, ...(isChallenged && { challenged: true }) })
}

/** A file with a sign-in: a line in the clear, and an encrypted line. */
export interface SealedFile {
  readonly format: number
  /** The ID of the sign-in. It is in the same file as the tokens, so that the two agree even if a process is killed. */
  readonly id: string
  readonly keyName: KeyName
  /** Whether the provider renews it only after the person has signed in anew. */
  readonly isChallenged: boolean
  /** The first line. It is authenticated too, so that the second line cannot be decrypted after a change of the first. */
  readonly header: string
  readonly body: string
}

/** Parses a file of any format; `undefined` for anything else. */
export function parseSealedFile(text: string): SealedFile | undefined {
  const [header = '', body = ''] = text.split('\n')
  const { format, id, key, challenged } = parseObject(header) ?? {}
  if (typeof format !== 'number' || typeof id !== 'string') return undefined
  const keyName = key === 'keychain' ? key : 'file'
  return { format, id, keyName, isChallenged: challenged === true, header, body }
}
