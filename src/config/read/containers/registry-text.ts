import { joinPath, type Position, type Positions } from '../../../runtime/json/position.ts'
import { flatKeys } from '../../fields.ts'
import type { Finding } from '../../finding.ts'
import { createFinding } from '../../finding.ts'
import { registryHeader } from '../../registry-key.ts'
import { reportDuplicateKey, reportReservedKey } from './json.ts'
import { parseLines } from './registry-lines.ts'
import {
  type ByteEncoding,
  describeRegistryType,
  isDeletion,
  parseQuotedText,
  parseRegistryValue,
  type RegistryValue,
} from './registry-value.ts'

/** A key of a registry file with its values; values of types that clients do not read are left out. */
export interface Section {
  readonly key: string
  readonly values: ReadonlyMap<string, string | number>
  /** Where the key and its values are, by the paths that findings use. */
  readonly positions: Positions
}

/** The keys of a registry file after `reg import`. A line that is neither a key nor a value is reported and skipped. */
export function parseSections(text: string): { sections: Section[]; findings: Finding[] } {
  const { lines, header, encoding } = parseLines(text)
  const keys = new Map<string, OpenSection>()
  const findings = header === 'there' ? [] : [reportHeader()]
  let current: OpenSection | undefined
  for (const { line, number } of lines) {
    const [, minus, key] = /^\[(-?)(HK.*?)\\*\](?!.*\])/i.exec(line) ?? []
    const value = /^(?:@|"((?:[^"\\]|\\.)*)")\s*=\s*(.*)$/.exec(line)
    const at = { line: number, column: 1 }
    if (key !== undefined) current = minus ? deleteKey(keys, key) : openSection(keys, key, at)
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

/** A value as its line has it. */
interface WrittenValue {
  /** The name between its quotation marks; absent for the default value. */
  readonly quoted: string | undefined
  readonly written: string
  readonly encoding: ByteEncoding
  readonly at: Position
}

/** A key that stands twice is one key. */
function openSection(keys: Map<string, OpenSection>, key: string, at: Position): OpenSection {
  const section = keys.get(key.toLowerCase()) ?? { key, values: new Map(), positions: new Map([[key, at]]) }
  keys.set(key.toLowerCase(), section)
  return section
}

function deleteKey(keys: Map<string, OpenSection>, key: string): undefined {
  const deleted = key.toLowerCase()
  for (const name of [...keys.keys()]) if (name === deleted || name.startsWith(`${deleted}\\`)) keys.delete(name)
}

/** A minus sign deletes the value; the default value, which has no name, is ignored. */
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

function reportValue(parsed: RegistryValue, path: string, written: string): Finding[] {
  if (parsed.value !== undefined) return parsed.escapes === 'unknown' ? [reportEscape(path)] : []
  const isImported = parsed.reason !== 'not imported'
  const what = isImported ? describeRegistryType(written) : 'a value in this form, nor does `reg import`'
  return [createFinding('registry-type', path, `clients do not read ${what}`, 'write it as REG_SZ: "name"="text"')]
}

const knownNames = new Map(flatKeys.map((key) => [key.toLowerCase(), key]))

function toKnownName(name: string): string {
  return knownNames.get(name.toLowerCase()) ?? name
}

function reportHeader(): Finding {
  return createFinding(
    'registry-header',
    '',
    `its first line is not "${registryHeader}", so \`reg import\` refuses the file`,
    'write that line first, with nothing behind it',
  )
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
