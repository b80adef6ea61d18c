// Detects the format of a file by its first bytes, and reports our own files that are not documents.

import { findUtf16Encoding, hasPrefix } from '../../runtime/text/decode-text.ts'
import { quoteForHint } from '../../runtime/text/quote.ts'
import { isObject, type RawObject } from '../../runtime/values/json-value.ts'
import { programName } from '../../version.ts'
import { createFinding, type Finding } from '../finding.ts'

/** The file format that holds a document. A `property-list` is a configuration profile or only the preferences, `oma-uri` a custom profile for Intune. */
export type Container = 'json' | 'property-list' | 'registry' | 'oma-uri'

/** Detects the format by the first bytes, because file names can be wrong. Everything else counts as JSON, whose parser reports errors. */
export function detectContainer(bytes: Uint8Array): Container {
  if (isSigned(bytes) || isBinaryPlist(bytes)) return 'property-list'
  const start = new TextDecoder(findUtf16Encoding(bytes) ?? 'utf-8').decode(bytes.subarray(0, 512)).trimStart()
  if (isRegistryText(start)) return 'registry'
  if (start.startsWith('{') && start.includes('#microsoft.graph.windows10CustomConfiguration')) return 'oma-uri'
  return /^<(\?xml|!DOCTYPE\s+plist|plist)/i.test(start) ? 'property-list' : 'json'
}

/** Returns whether the bytes begin as a binary property list does. */
export function isBinaryPlist(bytes: Uint8Array): boolean {
  return hasPrefix(bytes, [...Buffer.from('bplist')])
}

/** Returns whether the bytes are CMS (RFC 5652), as a signed profile is: an ASN.1 sequence, or its armoured form. */
export function isSigned(bytes: Uint8Array): boolean {
  return (
    hasPrefix(bytes, [0x30, 0x80]) ||
    hasPrefix(bytes, [0x30, 0x82]) ||
    hasPrefix(bytes, [0x30, 0x83]) ||
    hasPrefix(bytes, [...Buffer.from('-----BEGIN ')])
  )
}

/** Returns whether the text is a registry file, by its header or, without one, by its first key. */
export function isRegistryText(text: string): boolean {
  const first = text.split(lineEnd).find((line) => !isComment(line.trim())) ?? ''
  return headerPattern.test(first.trim()) || /^\[-?HK(EY_|LM\\|CU\\)/i.test(first.trim())
}

/** The end of a line of a registry file. */
export const lineEnd = /\r\n|\r|\n/
/** How the first line of a registry file begins, whatever its version. */
export const headerPattern = /^(Windows Registry Editor Version|REGEDIT)/i

/** Returns whether a line of a registry file is empty or a comment. */
export function isComment(line: string): boolean {
  return line === '' || line.startsWith(';') || line.startsWith('#')
}

/** The largest document that is read, in bytes; our decision. */
export const maxBytes = 5 * 1024 * 1024

/** Reports a file of more than `maxBytes`. */
export function reportTooLarge(): Finding {
  return createFinding(
    'too-large',
    '',
    `it is larger than ${maxBytes / 1024 / 1024} MiB`,
    'check that it is the document: a document has a few kilobytes',
  )
}

/**
 * Finds a file of Gatepass that is not a document: scripts, templates and settings are in the same folder. `undefined` for anything else.
 */
export function findForeignText(text: string): Finding | undefined {
  const found = textSigns.find(([sign]) => sign.test(text))
  return found && reportForeignFile(found[1], madeFromDocument)
}

/** Finds a JSON object of Gatepass that is not a document. @param path The path of its file, for the command in the hint. */
export function findForeignObject(entries: RawObject, path = 'FILE'): Finding | undefined {
  const found = objectSigns.find(({ isSign }) => isSign(entries))
  return found && reportForeignFile(found.what, found.renderHint(quoteForHint(path)))
}

const madeFromDocument = 'check the document that it was made from, such as document.json'

/** The beginnings of the files that `config export` and `setup` write. */
const textSigns: readonly (readonly [sign: RegExp, what: string])[] = [
  [
    /^#!\/bin\/sh\n# (Compares a machine with the document|Written by)/,
    'is a shell script that was made from a document',
  ],
  [/^# .*[Ww]ritten by [Gg]atepass/, 'is a script or playbook that was made from a document'],
  [/^# Include these tasks in a play/, 'is a task file of Ansible that was made from a document'],
  [
    /^\uFEFF?<\?xml[^>]*>\s*<policyDefinition(s|Resources)\b/,
    'is an administrative template, which has policies and not their values',
  ],
]

const objectSigns: readonly {
  readonly what: string
  readonly renderHint: (quoted: string) => string
  readonly isSign: (entries: RawObject) => boolean
}[] = [
  {
    what: 'is a vendor file',
    renderHint: (quoted) => `check it with: ${programName} vendor check ${quoted}`,
    isSign: (entries) => has(entries, ['envPrefix', 'headerPrefix', 'keyPrefix']),
  },
  {
    what: 'is the policy of a verifier',
    renderHint: (quoted) => `check it with: ${programName} gateway policy check ${quoted}`,
    isSign: (entries) => Array.isArray(entries.rules) && (has(entries, ['issuers']) || has(entries, ['aws'])),
  },
  {
    what: 'holds cases for the policy of a verifier',
    renderHint: (quoted) =>
      `run them with the file of their policy as POLICY: ${programName} gateway policy test POLICY --cases ${quoted}`,
    isSign: ({ cases }) => Array.isArray(cases) && cases.every((each) => isObject(each) && has(each, ['expect'])),
  },
  {
    what: `holds the answers of ${programName} setup`,
    renderHint: () => 'check the document.json beside it',
    isSign: (entries) => has(entries, ['client', 'base-url', 'identity']),
  },
  {
    what: 'holds the rules of a compliance policy',
    renderHint: () => madeFromDocument,
    isSign: ({ Rules }) => Array.isArray(Rules),
  },
  {
    what: 'is a manifest of Jamf Pro, which is a form for settings',
    renderHint: () => madeFromDocument,
    isSign: (entries) => isObject(entries.properties) && has(entries, ['title']),
  },
  {
    what: "holds a helper's options",
    renderHint: () => 'run the helper that reads it with --explain, which checks it',
    // A key of a document has no hyphen.
    isSign: (entries) =>
      Object.keys(entries).some((key) => /^[a-z]+(-[a-z]+)+$/.test(key)) &&
      !Object.keys(entries).some((key) => /[A-Z]|^inference$/.test(key)),
  },
]

function has(entries: RawObject, keys: readonly string[]): boolean {
  return keys.every((key) => Object.hasOwn(entries, key))
}

function reportForeignFile(what: string, hint: string): Finding {
  return createFinding('no-document', '', `it ${what}, and is not a document`, hint)
}
