import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../pkg-scripts/tree.ts'

/** Reads the first words of functions or methods in the glossary whose meaning fits. */
export function readFirstWords(of: 'functions' | 'methods', fits = (_meaning: string) => true): Set<string> {
  const page = readFileSync(join(root, 'docs/glossary.md'), 'utf8')
  const section = page.split(`## First words of ${of}\n`)[1]?.split('\n## ')[0] ?? ''
  const rows = [...section.matchAll(/^\| (?<cell>`.*?) \| (?<meaning>.*) \|$/gm)]
  const cells = rows.filter(({ groups }) => fits(groups!.meaning!)).map(({ groups }) => groups!.cell!)
  return new Set(cells.flatMap((cell) => cell.match(/\w+/g) ?? []))
}

/** Words whose functions give their result at once, and neither read nor change anything outside. */
export const pureWords = readFirstWords('functions', (meaning) => /\bpure\b/.test(meaning))
