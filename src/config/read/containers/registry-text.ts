import type { Finding } from '../../finding.ts'
import { createFinding, joinPath } from '../../finding.ts'
import type { Position, Positions } from '../../raw.ts'
import { registryHeader } from '../../registry-key.ts'
import { reportDuplicateKey, reportReservedKey } from './json.ts'

/** A key of a registry file with its values; values of types that clients do not read are left out. */
export interface Section {
  readonly key: string
  readonly values: ReadonlyMap<string, string | number>
  /** Where the key and its values are, by the paths that findings use. */
  readonly positions: Positions
}

/** Whether the text begins as a registry file does. */
export function isRegistryText(text: string): boolean {
  const [first = ''] = text.split(/\r\n|\r|\n/, 1)
  return [registryHeader, 'REGEDIT4'].includes(first.trimEnd())
}

/** Splits the text of a registry file into its keys. A line that is neither a key nor a value is reported and skipped. */
export function parseSections(text: string): { sections: Section[]; findings: Finding[] } {
  const sections: (Section & { values: Map<string, string | number>; positions: Map<string, Position> })[] = []
  const findings: Finding[] = []
  for (const { line, number } of joinContinuedLines(text)) {
    const key = /^\[(.+)\]$/.exec(line)?.[1]
    const value = /^(?:@|"((?:[^"\\]|\\.)*)")=(.*)$/.exec(line)
    const section = sections.at(-1)
    const at = { line: number, column: 1 }
    if (key) sections.push({ key, values: new Map(), positions: new Map([[key, at]]) })
    else if (value && section) {
      findings.push(...setValue(section.values, value[1], value[2]!))
      section.positions.set(joinPath('', unescapeText(value[1] ?? '')), at)
    } else findings.push(reportLine(at))
  }
  return { sections, findings }
}

function reportLine(at: Position): Finding {
  const message = `line ${at.line} is neither a key nor a value`
  return { ...createFinding('registry-line', '', message, 'fix or remove that line'), ...at }
}

/** Lines without comments. A line that ends with a backslash continues on the next one. */
function joinContinuedLines(text: string): { line: string; number: number }[] {
  const lines = text.split(/\r\n|\r|\n/)
  const logical: { line: string; number: number }[] = []
  for (let index = 1; index < lines.length; index++) {
    const number = index + 1
    const parts = [lines[index]!.trim()]
    while (/[,:]\\$/.test(parts.at(-1)!) && index + 1 < lines.length) parts.push(lines[++index]!.trim())
    const line = parts.map((part, at) => (at < parts.length - 1 ? part.slice(0, -1) : part)).join('')
    if (line !== '' && !line.startsWith(';')) logical.push({ line, number })
  }
  return logical
}

/** Names are compared with their case. A minus sign deletes the value; the default value, which has no name, is ignored. */
function setValue(values: Map<string, string | number>, quoted: string | undefined, written: string): Finding[] {
  if (quoted === undefined) return []
  const name = unescapeText(quoted)
  const path = joinPath('', name)
  if (name === '__proto__') return [reportReservedKey(path)]
  const duplicate = values.has(name) ? [reportDuplicateKey(path)] : []
  values.delete(name)
  if (written === '-') return duplicate
  const value = parseRegistryValue(written)
  if (value === undefined)
    return [
      ...duplicate,
      createFinding(
        'registry-type',
        path,
        `clients do not read ${describeRegistryType(written)}`,
        'write it as REG_SZ: "name"="text"',
      ),
    ]
  values.set(name, value)
  return duplicate
}

/** REG_SZ as text and REG_DWORD as a number, each in its plain form or as the bytes that an export may show. */
function parseRegistryValue(written: string): string | number | undefined {
  const text = /^"((?:[^"\\]|\\.)*)"$/.exec(written)
  if (text) return unescapeText(text[1]!)
  const number = /^dword:([0-9a-f]{1,8})$/i.exec(written)
  if (number) return Number.parseInt(number[1]!, 16)
  const bytes = /^hex\(1\):((?:[0-9a-f]{2},?)*)$/i.exec(written)
  if (bytes) return Buffer.from(bytes[1]!.replaceAll(',', ''), 'hex').toString('utf16le').replace(/\0+$/, '')
  return undefined
}

function describeRegistryType(written: string): string {
  const code = /^hex(?:\(([0-9a-f]+)\))?:/i.exec(written)
  if (!code) return 'a value in this form'
  return typeNames[code[1]?.toLowerCase() ?? '3'] ?? `the registry type ${code[1]}`
}

/** Types by the number in brackets: `hex(2)` is REG_EXPAND_SZ. */
const typeNames: Readonly<Record<string, string>> = {
  0: 'REG_NONE',
  2: 'REG_EXPAND_SZ',
  3: 'REG_BINARY',
  4: 'REG_DWORD in bytes',
  7: 'REG_MULTI_SZ',
  b: 'REG_QWORD',
}

function unescapeText(quoted: string): string {
  return quoted.replace(/\\(["\\])/g, '$1')
}
