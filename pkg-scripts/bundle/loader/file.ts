import { type Store, start } from './packed.ts'
import { detectRuntime } from './this-runtime.ts'

/** What a program in one file is made of; `render-file.ts` writes it before this loader. */
interface FilePacked {
  readonly entry: string
  /** The runtime that made what is in `cache`. */
  readonly compiledBy: string
  /** Where in the source of `kept` the pieces are: `early`, `cache` and each late one by its name. */
  readonly places: Readonly<Record<string, readonly [from: number, to: number]>>
  /** Never called: a comment in it holds the pieces, and the runtime keeps it as part of the source. */
  kept(): void
}

declare const packed: FilePacked

const read = (name: string) => packed.kept.toString().slice(...packed.places[name]!)

const store: Store = {
  entry: packed.entry,
  findEarly: () => {
    const cache = packed.compiledBy === detectRuntime() ? Buffer.from(read('cache'), 'base64') : undefined
    return { code: read('early'), cache: cache?.length ? cache : undefined }
  },
  findLate: (name) => ({ code: read(name), cache: undefined }),
}
start(store, require)
