import { registryHeader } from '../../registry-key.ts'
import type { ByteEncoding } from './registry-value.ts'

/** A line of a registry file: continued lines are one, comments and the header are left out. */
export interface RegistryLine {
  readonly line: string
  /** Where it begins, counted from 1. */
  readonly number: number
}

/** The lines of a registry file, and what its header says. */
interface RegistryLines {
  readonly lines: readonly RegistryLine[]
  /** `missing`: `reg import` refuses the file. */
  readonly header: 'there' | 'missing'
  readonly encoding: ByteEncoding
}

/** Whether the text is that of a registry file: by its header or, without one, by its first key. */
export function isRegistryText(text: string): boolean {
  const first = text.split(lineEnd).find((line) => !isComment(line.trim())) ?? ''
  return looksLikeHeader.test(first.trim()) || /^\[-?HK(EY_|LM\\|CU\\)/i.test(first.trim())
}

/** Splits the text of a registry file into lines. */
export function parseLines(text: string): RegistryLines {
  const all = text.split(lineEnd)
  const header = all[0]!.trimStart()
  return {
    lines: joinContinuedLines(all.map((line) => line.trim())).filter(({ line }) => !looksLikeHeader.test(line)),
    header: header === registryHeader || header === oldHeader ? 'there' : 'missing',
    encoding: header.startsWith(oldHeader) ? 'latin1' : 'utf16le',
  }
}

const oldHeader = 'REGEDIT4'
const lineEnd = /\r\n|\r|\n/
const looksLikeHeader = /^(Windows Registry Editor Version|REGEDIT)/i

function isComment(line: string): boolean {
  return line === '' || line.startsWith(';') || line.startsWith('#')
}

/** Bytes go on after a backslash in the next line that is no comment; a comment may follow the backslash. */
function joinContinuedLines(lines: readonly string[]): RegistryLine[] {
  const logical: RegistryLine[] = []
  for (let index = 0; index < lines.length; index++) {
    const number = index + 1
    if (isComment(lines[index]!)) continue
    const parts = [lines[index]!]
    if (isBytes.test(parts[0]!)) {
      while (continuation.test(parts.at(-1)!) && index + 1 < lines.length) {
        if (!isComment(lines[++index]!)) parts.push(lines[index]!)
      }
    }
    logical.push({ line: joinParts(parts), number })
  }
  return logical
}

const isBytes = /^(?:@|"(?:[^"\\]|\\.)*")\s*=\s*hex/
const continuation = /[,:]\s*\\\s*(?:;.*)?$/

/** Without the backslash at the end of each part but the last. */
function joinParts([first, ...rest]: readonly string[]): string {
  if (rest.length === 0) return first!
  return [first!, ...rest].map((part) => part.replace(/\\\s*(?:;.*)?$/, '')).join('')
}
