import type { Finding } from '../finding.ts'
import { finding, joinPath } from '../finding.ts'
import type { ReadResult } from '../read/document.ts'
import { carryUnknownKeys } from './convert.ts'
import { managedEntries } from './shapes.ts'

/** What an export writes: managed preferences, and the findings for what it cannot hold. */
export interface ManagedPreferences {
  readonly entries: Readonly<Record<string, string>>
  readonly findings: readonly Finding[]
}

/** The managed preferences of what was read; `undefined` when nothing could be. */
export function toManagedPreferences(reading: ReadResult, clientVersion?: string): ManagedPreferences | undefined {
  if (!reading.document) return undefined
  const { kept, findings } = carryUnknownKeys(reading, 'managed')
  const all = Object.entries(managedEntries(reading.document, { kept, ...(clientVersion && { clientVersion }) }))
  const isWritable = ([key, value]: [string, string]) => isPlainText(key) && isPlainText(value)
  const refused = all.filter((entry) => !isWritable(entry)).map(([key]) => refuse(key))
  return { entries: Object.fromEntries(all.filter(isWritable)), findings: [...findings, ...refused] }
}

/** Control characters and halves of a surrogate pair have no form that every platform's tool reads back unchanged. */
function isPlainText(text: string): boolean {
  return text.isWellFormed() && !/[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufffe\uffff]/.test(text)
}

function refuse(key: string): Finding {
  return finding(
    'not-exportable',
    joinPath('', key),
    'it has a control character or half a character, and was left out',
    'remove that character',
  )
}
