import { join, sep } from 'node:path'
import type { Plugin } from 'vitest/config'
import { toNamesInForce } from './names.ts'

const tests = join(import.meta.dirname, '..') + sep
const ownTable = join(import.meta.dirname, 'names.')

/** Tests are written in the neutral names. Where `src/vendor.json` has others, the texts of tests are translated as they are loaded. */
export const translateTests: Plugin = {
  name: 'names in force',
  enforce: 'pre',
  transform(code, id) {
    if (!id.startsWith(tests) || id.startsWith(ownTable)) return undefined
    const translated = toNamesInForce(quoteKeys(code))
    return translated === code ? undefined : { code: translated, map: null }
  },
}

/** In another word for the cloud there may be a dot, which a key without quotes cannot hold. */
function quoteKeys(code: string): string {
  return code.replace(/(?<=[{,]\s*)(inferenceCloud\w*)(?=:)/g, "'$1'")
}
