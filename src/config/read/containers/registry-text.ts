import type { Finding } from '../../finding.ts'
import { finding, joinPath } from '../../finding.ts'
import { reservedKey } from './json.ts'

/** A key of a registry file with its values; those of unreadable types are left out. */
export interface Section {
  readonly key: string
  readonly values: ReadonlyMap<string, string | number>
}

/** Whether the text begins as a registry file does. */
export function isRegistryText(text: string): boolean {
  return /^(Windows Registry Editor Version 5\.00|REGEDIT4)[ \t]*(\r\n|\r|\n|$)/.test(text)
}

/** Splits a registry file into its keys. A line that is neither a key nor a value is reported and skipped. */
export function parseSections(text: string): { sections: Section[]; findings: Finding[] } {
  const sections: { key: string; values: Map<string, string | number> }[] = []
  const findings: Finding[] = []
  for (const { line, number } of logicalLines(text)) {
    const key = /^\[(.+)\]$/.exec(line)?.[1]
    const value = /^(?:@|"((?:[^"\\]|\\.)*)")=(.*)$/.exec(line)
    const values = sections.at(-1)?.values
    if (key) sections.push({ key, values: new Map() })
    else if (value && values) findings.push(...setValue(values, value[1], value[2]!))
    else
      findings.push(
        finding('registry-line', '', `line ${number} is neither a key nor a value`, 'mend or remove that line'),
      )
  }
  return { sections, findings }
}

/** Lines without comments; one that ends with a backslash goes on in the next. */
function logicalLines(text: string): { line: string; number: number }[] {
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

/** Names compare as they are written; a minus sign deletes the value, and the nameless default is nobody's setting. */
function setValue(values: Map<string, string | number>, quoted: string | undefined, written: string): Finding[] {
  if (quoted === undefined) return []
  const name = withoutEscapes(quoted)
  const path = joinPath('', name)
  if (name === '__proto__') return [reservedKey(path)]
  const twice = values.has(name)
    ? [finding('duplicate-key', path, 'it stands twice; the last one counts', 'keep one')]
    : []
  values.delete(name)
  if (written === '-') return twice
  const value = readValue(written)
  if (value === undefined)
    return [
      ...twice,
      finding('registry-type', path, `clients do not read ${nameType(written)}`, 'write it as REG_SZ: "name"="text"'),
    ]
  values.set(name, value)
  return twice
}

/** REG_SZ as text and REG_DWORD as a number, each in its plain form or as the bytes that an export may show. */
function readValue(written: string): string | number | undefined {
  const text = /^"((?:[^"\\]|\\.)*)"$/.exec(written)
  if (text) return withoutEscapes(text[1]!)
  const number = /^dword:([0-9a-f]{1,8})$/i.exec(written)
  if (number) return Number.parseInt(number[1]!, 16)
  const bytes = /^hex\(1\):((?:[0-9a-f]{2},?)*)$/i.exec(written)
  if (bytes) return Buffer.from(bytes[1]!.replaceAll(',', ''), 'hex').toString('utf16le').replace(/\0+$/, '')
  return undefined
}

function nameType(written: string): string {
  const code = /^hex(?:\(([0-9a-f]+)\))?:/i.exec(written)
  if (!code) return 'a value that is written like this'
  return typeNames[code[1]?.toLowerCase() ?? '3'] ?? `the registry type ${code[1]}`
}

/** Types by the number that stands in brackets. */
const typeNames: Readonly<Record<string, string>> = {
  0: 'REG_NONE',
  2: 'REG_EXPAND_SZ',
  3: 'REG_BINARY',
  4: 'REG_DWORD in bytes',
  7: 'REG_MULTI_SZ',
  b: 'REG_QWORD',
}

function withoutEscapes(quoted: string): string {
  return quoted.replace(/\\(["\\])/g, '$1')
}
