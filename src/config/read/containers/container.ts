import { findUtf16Encoding } from '../../../runtime/json/decode-text.ts'
import type { Finding } from '../../finding.ts'
import { createFinding } from '../../finding.ts'
import type { Raw } from '../../raw.ts'
import { parseJson } from './json.ts'
import { maxBytes } from './limits.ts'
import { isBinaryPlist, isSigned, parsePropertyList } from './property-list.ts'
import { parseRegistry } from './registry.ts'
import { isRegistryText } from './registry-lines.ts'

/** The file format that holds a document. A `property-list` is a configuration profile or the preferences alone. */
export type Container = 'json' | 'property-list' | 'registry'

const parsers: Readonly<Record<Container, (bytes: Uint8Array) => Raw>> = {
  json: parseJson,
  'property-list': parsePropertyList,
  registry: parseRegistry,
}

/** Reads the entries of a document in any container; `container` is `undefined` where the file is too large to look at. */
export function parseContainer(bytes: Uint8Array): Raw & { container: Container | undefined } {
  if (bytes.length > maxBytes) return { entries: undefined, findings: [reportTooLarge()], container: undefined }
  const container = detectContainer(bytes)
  return { ...parsers[container](bytes), container }
}

/** A file of more than `maxBytes`. */
export function reportTooLarge(): Finding {
  return createFinding(
    'too-large',
    '',
    `it is larger than ${maxBytes / 1024 / 1024} MiB`,
    'check that it is the document: a document has a few kilobytes',
  )
}

/** Looks at the first bytes alone, because file names can be wrong. Everything else is JSON, whose parser reports errors. */
function detectContainer(bytes: Uint8Array): Container {
  if (isSigned(bytes) || isBinaryPlist(bytes)) return 'property-list'
  const start = new TextDecoder(findUtf16Encoding(bytes) ?? 'utf-8').decode(bytes.subarray(0, 512)).trimStart()
  if (isRegistryText(start)) return 'registry'
  return /^<(\?xml|!DOCTYPE\s+plist|plist)/i.test(start) ? 'property-list' : 'json'
}
