import { type Store, start } from './packed.ts'
import { thisRuntime } from './this-runtime.ts'

/** What a program in one file is made of; `render-file.ts` writes it before this loader. */
interface FilePacked {
  readonly entry: string
  /** The runtime that made what is in `cache`. */
  readonly compiledBy: string
  /** Where in the source of `kept` the pieces are. */
  readonly places: Readonly<Record<'early' | 'cache' | 'late', readonly [from: number, to: number]>>
  /** Never called: a comment in it holds the pieces, and the runtime keeps it as part of the source. */
  kept(): void
}

declare const packed: FilePacked

const read = (part: keyof FilePacked['places']) => packed.kept.toString().slice(...packed.places[part])

let late: Record<string, string> | undefined
const store: Store = {
  entry: packed.entry,
  findEarly: () => {
    const cache = packed.compiledBy === thisRuntime() ? Buffer.from(read('cache'), 'base64') : undefined
    return { code: read('early'), cache: cache?.length ? cache : undefined }
  },
  findLate: (name) => {
    late ??= readLate()
    return { code: late![name]!, cache: undefined }
  },
}
start(store, require)

/** Loads the module of the runtime that this takes only now. */
function readLate(): Record<string, string> {
  const { brotliDecompressSync } = require('node:zlib') as typeof import('node:zlib')
  return JSON.parse(brotliDecompressSync(Buffer.from(read('late'), 'base64')).toString('latin1'))
}
