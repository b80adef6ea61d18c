import type { ConfigDocument } from '../../../config/document.ts'
import { fromExpiryMs } from '../../../config/expiry.ts'
import { readDocument } from '../../../config/read/document.ts'
import { renderNested } from '../../../config/render/shapes.ts'
import { setIn, type Tree } from '../../../config/set-in.ts'
import { parseDuration } from '../../duration.ts'
import type { DocumentValues } from './scenario.ts'

/**
 * The document with other values, read as every document is; a text if it would be invalid. An `expiresAt` that is a
 * duration counts from `now`, in epoch milliseconds.
 */
export function changeDocument(document: ConfigDocument, values: DocumentValues, now: number): ConfigDocument | string {
  const tree = JSON.parse(renderNested(document)) as Tree // we rendered it as an object
  for (const [path, value] of Object.entries(values)) setIn(tree, path.split('.'), toFieldValue(path, value, now))
  const { document: changed, findings } = readDocument(Buffer.from(JSON.stringify(tree, withoutNull)))
  const problem = findings.find(({ severity }) => severity === 'error')
  if (problem || !changed) return `${problem?.path}: ${problem?.message}`
  return changed
}

function toFieldValue(path: string, value: unknown, now: number): unknown {
  const seconds = path === 'expiresAt' && typeof value === 'string' ? parseDuration(value) : undefined
  return seconds === undefined ? value : fromExpiryMs(now + seconds * 1000)
}

/** `null` unsets a value. */
function withoutNull(_: string, value: unknown): unknown {
  return value === null ? undefined : value
}
