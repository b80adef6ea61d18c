import { joinPath } from '../../runtime/json/position.ts'
import type { Finding } from '../finding.ts'
import { createFinding } from '../finding.ts'
import type { ReadResult } from '../read/document.ts'
import { convertUnknownKeys } from './convert.ts'
import { toManagedEntries } from './shapes.ts'

/** The managed preferences that an export writes, with findings for what they leave out. */
interface ManagedPreferences {
  readonly entries: Readonly<Record<string, string>>
  readonly findings: readonly Finding[]
}

/** The managed preferences of a document; `undefined` when it could not be read. */
export function toManagedPreferences(result: ReadResult, clientVersion?: string): ManagedPreferences | undefined {
  if (!result.document) return undefined
  const { unknownKeys, findings } = convertUnknownKeys(result, 'managed')
  const all = Object.entries(
    toManagedEntries(result.document, { unknownKeys, ...(clientVersion && { clientVersion }) }),
  )
  const isWritable = ([key, value]: [string, string]) => isPlainText(key) && isPlainText(value)
  const refused = all.filter((entry) => !isWritable(entry)).map(([key]) => reportNotExportable(key))
  return { entries: Object.fromEntries(all.filter(isWritable)), findings: [...findings, ...refused] }
}

/** Whether every platform's tools read the text back unchanged: no control character and no unpaired surrogate. */
function isPlainText(text: string): boolean {
  return text.isWellFormed() && !/[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufffe\uffff]/.test(text)
}

function reportNotExportable(key: string): Finding {
  return createFinding(
    'not-exportable',
    joinPath('', key),
    'it has a control character or an unpaired surrogate, and was left out',
    'remove that character',
  )
}
