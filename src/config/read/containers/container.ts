import type { Finding } from '../../finding.ts'
import { finding } from '../../finding.ts'
import { maxBytes } from '../../limits.ts'
import type { Raw } from '../../raw.ts'
import { utf16ByteOrder } from './decode-text.ts'
import { parseJson } from './json.ts'
import { isBinaryPlist, isSigned, parsePropertyList } from './property-list.ts'
import { parseRegistry } from './registry.ts'
import { isRegistryText } from './registry-text.ts'

/** What a document is wrapped in. A `property-list` is a configuration profile or the preferences alone. */
export type Container = 'json' | 'property-list' | 'registry'

const parsers: Readonly<Record<Container, (bytes: Uint8Array) => Raw>> = {
  json: parseJson,
  'property-list': parsePropertyList,
  registry: parseRegistry,
}

/** Takes the entries out of whatever holds them. */
export function parseContainer(bytes: Uint8Array): Raw & { container: Container | undefined } {
  if (bytes.length > maxBytes) return { entries: undefined, findings: [tooLarge()], container: undefined }
  const container = detectContainer(bytes)
  return { ...parsers[container](bytes), container }
}

/** The finding for a file beyond the limit, read or not. */
export function tooLarge(): Finding {
  return finding(
    'too-large',
    '',
    `it is larger than ${maxBytes / 1024 / 1024} MiB`,
    'check that it is the document: one has a few kilobytes',
  )
}

/** By the first bytes alone: names of files lie. What is nothing else is taken for JSON, whose parser says what is wrong. */
function detectContainer(bytes: Uint8Array): Container {
  if (isSigned(bytes) || isBinaryPlist(bytes)) return 'property-list'
  const start = new TextDecoder(utf16ByteOrder(bytes) ?? 'utf-8').decode(bytes.subarray(0, 512)).trimStart()
  if (isRegistryText(start)) return 'registry'
  return /^<(\?xml|!DOCTYPE\s+plist|plist)/i.test(start) ? 'property-list' : 'json'
}
