import { findLinkedData, loadCommands } from './load-commands.ts'

/** Parses the trie of symbols that a program for macOS exports, with flags and address (`mach-o/loader.h`, `LC_DYLD_EXPORTS_TRIE`). */
export function parseExportedSymbols(file: Buffer): ReadonlyMap<string, string> {
  const { bytes } = findLinkedData(file, loadCommands.exportsTrie) ?? { bytes: Buffer.alloc(0) }
  const found = new Map<string, string>()
  const seen = new Set([0])
  const left: [node: number, prefix: string][] = bytes.length === 0 ? [] : [[0, '']]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [node, prefix] = next
    const { value: size, end } = readNumber(bytes, node)
    if (size > 0) found.set(prefix, bytes.toString('hex', end, end + size))
    let at = end + size + 1
    for (let children = bytes[end + size] ?? 0; children > 0; children--) {
      const nameEnd = bytes.indexOf(0, at)
      const child = readNumber(bytes, nameEnd + 1)
      if (seen.has(child.value)) throw new Error('the exports lead in a circle')
      seen.add(child.value)
      left.push([child.value, prefix + bytes.toString('latin1', at, nameEnd)])
      at = child.end
    }
  }
  return found
}

/** Reads a number of seven bits a byte (ULEB128), and finds where it ends. */
function readNumber(bytes: Buffer, start: number): { value: number; end: number } {
  let value = 0
  for (let at = start, factor = 1; at < bytes.length; at++, factor *= 128) {
    value += (bytes[at]! & 0x7f) * factor
    if (bytes[at]! < 0x80) return { value, end: at + 1 }
  }
  throw new Error('the exports end in a number')
}
