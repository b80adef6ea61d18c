import { decodeText } from '../../runtime/text/decode-text.ts'
import { joinPath, locateFindings, type Position, type Positions } from '../../runtime/values/position.ts'
import { flatKeys } from '../fields.ts'
import { createFinding, type Finding, type Raw } from '../finding.ts'
import { machinePolicyKey, registryHeader, userPolicyKey } from '../policy-names.ts'
import { headerPattern, isComment, isRegistryText, lineEnd } from './container.ts'
import { reportDuplicateKey, reportReservedKey } from './json.ts'
import {
  type ByteEncoding,
  describeRegistryType,
  isDeletion,
  parseQuotedText,
  parseRegistryValue,
  type RegistryValue,
} from './registry-value.ts'

/** Parses an exported registry file into its policy values: those of the machine hive, else those of the user hive. */
export function parseRegistry(bytes: Uint8Array): Raw {
  const text = decodeText(bytes)
  if (text === undefined || !isRegistryText(text)) {
    const problem = createFinding(
      'broken-registry-file',
      '',
      'it is not a complete registry file in UTF-16 or UTF-8',
      'export it again with `reg export`',
    )
    return { entries: undefined, findings: [problem] }
  }
  const { sections, findings } = parseSections(text)
  const own = sections.filter(isPolicyKey)
  const policies = own.length > 0 ? own : sections.filter(hasKnownValues)
  const misplaced = sections.flatMap(validateSection)
  if (policies.length === 0) {
    const problem = createFinding(
      'policy-key-missing',
      '',
      `it does not set ${machinePolicyKey}, which the client reads`,
      'put the values under that key',
    )
    return { entries: undefined, findings: [problem, ...misplaced, ...findings] }
  }
  return { ...chooseHive(policies, [...findings, ...misplaced]), positions: joinPositions(sections) }
}

/** Joins the positions of all keys. If a value is under several keys, the position under the machine's policy key counts. */
function joinPositions(sections: readonly RegistrySection[]): Positions {
  const rank = (section: RegistrySection) => (isPolicyKey(section) ? (isUser(section) ? 1 : 2) : 0)
  return new Map(sections.toSorted((a, b) => rank(a) - rank(b)).flatMap(({ positions }) => [...positions]))
}

function isUser({ key }: RegistrySection): boolean {
  return /^HKEY_(CURRENT_USER|USERS)\\/i.test(key)
}

function validateSection(section: RegistrySection): Finding[] {
  if (section.values.size === 0 || isPolicyKey(section)) return []
  if ([machinePolicyKey, userPolicyKey].some((key) => section.key.toLowerCase().startsWith(`${key.toLowerCase()}\\`))) {
    return [
      createFinding(
        'registry-subkey',
        section.key,
        'clients never read sub-keys',
        `move its values to ${machinePolicyKey}`,
      ),
    ]
  }
  if (!hasKnownValues(section)) return []
  return [
    createFinding(
      'other-policy-key',
      section.key,
      `clients read ${machinePolicyKey} and ${userPolicyKey} only`,
      `move its values to ${machinePolicyKey}`,
    ),
  ]
}

/** Chooses the hive. Clients ignore the user hive if the machine hive has any value. */
function chooseHive(policies: readonly RegistrySection[], findings: readonly Finding[]): Raw {
  const machine = new Map(policies.filter((section) => !isUser(section)).flatMap(({ values }) => [...values]))
  const user = new Map(policies.filter(isUser).flatMap(({ values }) => [...values]))
  if (machine.size === 0) return { entries: Object.fromEntries(user), findings }
  const ignored = [...user.keys()].map((name) =>
    createFinding(
      'user-hive-ignored',
      joinPath('', name),
      'the machine hive has values, so this one in the user hive is ignored',
      'set it in the machine hive, or remove it',
    ),
  )
  const located = locateFindings(ignored, joinPositions(policies.filter(isUser)))
  return { entries: Object.fromEntries(machine), findings: [...findings, ...located] }
}

function isPolicyKey({ key }: RegistrySection): boolean {
  return [machinePolicyKey, userPolicyKey].some((expected) => expected.toLowerCase() === key.toLowerCase())
}

function hasKnownValues({ values }: RegistrySection): boolean {
  return flatKeys.some((key) => values.has(key))
}

/** A key of a registry file with its values; values of types that clients do not read are left out. */
interface RegistrySection {
  readonly key: string
  readonly values: ReadonlyMap<string, string | number>
  /** The positions of the key and its values, by the paths that findings use. */
  readonly positions: Positions
}

/** Parses the keys of a registry file as `reg import` would leave them. A line that is neither a key nor a value is reported and skipped. */
export function parseSections(text: string): { sections: RegistrySection[]; findings: Finding[] } {
  const { lines, header, encoding } = parseLines(text)
  const keys = new Map<string, OpenSection>()
  const findings = header === 'there' ? [] : [reportHeader()]
  let current: OpenSection | undefined
  for (const { line, number } of lines) {
    const [, minus, key] = /^\[(-?)(HK.*?)\\*\](?!.*\])/i.exec(line) ?? []
    const value = /^(?:@|"((?:[^"\\]|\\.)*)")\s*=\s*(.*)$/.exec(line)
    const at = { line: number, column: 1 }
    if (key !== undefined) current = minus ? removeKey(keys, key) : openSection(keys, key, at)
    else if (value && current)
      findings.push(...setValue(current, { quoted: value[1], written: value[2]!, encoding, at }))
    else findings.push(reportLine(at, value ? 'is a value without a key before it' : 'is neither a key nor a value'))
  }
  const sections = [...keys.values()].map(({ values, ...section }) => ({
    ...section,
    values: new Map(values.values()),
  }))
  return { sections, findings }
}

/** A section while its file is read; the values by their names in lower case, because names are compared without case. */
interface OpenSection {
  readonly key: string
  readonly values: Map<string, [name: string, value: string | number]>
  readonly positions: Map<string, Position>
}

/** A value as written in its line. */
interface WrittenValue {
  /** The name between its quotation marks; absent for the default value. */
  readonly quoted: string | undefined
  readonly written: string
  readonly encoding: ByteEncoding
  readonly at: Position
}

function parseLines(text: string): RegistryLines {
  const all = text.split(lineEnd)
  const header = all[0]!.trimStart()
  return {
    lines: joinContinuedLines(all.map((line) => line.trim())).filter(({ line }) => !headerPattern.test(line)),
    header: header === registryHeader || header === oldHeader ? 'there' : 'missing',
    encoding: header.startsWith(oldHeader) ? 'latin1' : 'utf16le',
  }
}

const oldHeader = 'REGEDIT4'

function reportHeader(): Finding {
  return createFinding(
    'registry-header',
    '',
    `its first line is not "${registryHeader}", so \`reg import\` refuses the file`,
    'write that line first, with nothing behind it',
  )
}

function removeKey(keys: Map<string, OpenSection>, key: string): undefined {
  const deleted = key.toLowerCase()
  for (const name of [...keys.keys()]) if (name === deleted || name.startsWith(`${deleted}\\`)) keys.delete(name)
}

/** Opens the section of a key. A key that appears twice has one section. */
function openSection(keys: Map<string, OpenSection>, key: string, at: Position): OpenSection {
  const section = keys.get(key.toLowerCase()) ?? { key, values: new Map(), positions: new Map([[key, at]]) }
  keys.set(key.toLowerCase(), section)
  return section
}

/** Sets a value, or deletes it for a minus sign. The default value, which has no name, is ignored. */
function setValue({ values, positions }: OpenSection, { quoted, written, encoding, at }: WrittenValue): Finding[] {
  if (quoted === undefined) return []
  const name = toKnownName(String(parseQuotedText(quoted).value ?? quoted))
  const path = joinPath('', name)
  positions.set(path, at)
  if (name === '__proto__') return [reportReservedKey(path)]
  const duplicate = values.has(name.toLowerCase()) ? [reportDuplicateKey(path)] : []
  const parsed = isDeletion(written) ? undefined : parseRegistryValue(written, encoding)
  if (parsed?.value !== undefined) values.set(name.toLowerCase(), [name, parsed.value])
  else if (parsed?.reason !== 'not imported') values.delete(name.toLowerCase())
  return [...duplicate, ...(parsed ? reportValue(parsed, path, written) : [])]
}

/** Finds the flat key with this name in any case, because Windows compares names without case; otherwise returns the name itself. */
function toKnownName(name: string): string {
  const isSame = (key: string) => key.length === name.length && key.toLowerCase() === name.toLowerCase()
  return flatKeys.find(isSame) ?? name
}

function reportValue(parsed: RegistryValue, path: string, written: string): Finding[] {
  if (parsed.value !== undefined) return parsed.escapes === 'unknown' ? [reportEscape(path)] : []
  const isImported = parsed.reason !== 'not imported'
  const what = isImported ? describeRegistryType(written) : 'a value in this form, nor does `reg import`'
  return [createFinding('registry-type', path, `clients do not read ${what}`, 'write it as REG_SZ: "name"="text"')]
}

function reportLine(at: Position, what: string): Finding {
  return { ...createFinding('registry-line', '', `line ${at.line} ${what}`, 'fix or remove that line'), ...at }
}

function reportEscape(path: string): Finding {
  return createFinding(
    'registry-escape',
    path,
    'it has a single backslash, which `reg import` drops',
    'write every backslash twice',
  )
}

/** A line of a registry file. Continued lines count as one; comments and the header are left out. */
interface RegistryLine {
  readonly line: string
  /** The number of its first line, counted from 1. */
  readonly number: number
}

/** The lines of a registry file, and the state of its header. */
interface RegistryLines {
  readonly lines: readonly RegistryLine[]
  /** `missing`: `reg import` refuses the file. */
  readonly header: 'there' | 'missing'
  readonly encoding: ByteEncoding
}

/** Joins continued lines. After a backslash, bytes continue on the next line that is not a comment; a comment may follow the backslash. */
function joinContinuedLines(lines: readonly string[]): RegistryLine[] {
  const logical: RegistryLine[] = []
  for (let index = 0; index < lines.length; index++) {
    const number = index + 1
    if (isComment(lines[index]!)) continue
    const parts = [lines[index]!]
    if (bytesStart.test(parts[0]!)) {
      while (continuation.test(parts.at(-1)!) && index + 1 < lines.length) {
        if (!isComment(lines[++index]!)) parts.push(lines[index]!)
      }
    }
    logical.push({ line: joinParts(parts), number })
  }
  return logical
}

const bytesStart = /^(?:@|"(?:[^"\\]|\\.)*")\s*=\s*hex/
const continuation = /[,:]\s*\\\s*(?:;.*)?$/

/** Joins the parts, and drops the backslash at the end of each part but the last. */
function joinParts([first, ...rest]: readonly string[]): string {
  if (rest.length === 0) return first!
  return [first!, ...rest].map((part) => part.replace(/\\\s*(?:;.*)?$/, '')).join('')
}
