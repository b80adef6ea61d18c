import { type Store, start } from './packed.ts'
import { detectRuntime } from './this-runtime.ts'

/** Where in the source of `kept` a piece is. */
export type TextPlace = readonly [from: number, to: number]

/** What a program in one file is made of; `render-file.ts` writes it before this loader. */
export interface FilePacked {
  readonly entry: string
  /** The runtime that made what is in `cache`. */
  readonly compiledBy: string
  readonly early: TextPlace
  readonly cache: TextPlace
  /** The places of the late pieces by name, as JSON. */
  readonly late: TextPlace
  /** Never called: a comment in it holds the pieces, and the runtime keeps it as part of the source. */
  kept(): void
}

declare const packed: FilePacked

const read = (place: TextPlace) => packed.kept.toString().slice(...place)

let late: Readonly<Record<string, TextPlace>> | undefined

const store: Store = {
  entry: packed.entry,
  findEarly: () => {
    const cache = packed.compiledBy === detectRuntime() ? Buffer.from(read(packed.cache), 'base64') : undefined
    return { code: read(packed.early), cache: cache?.length ? cache : undefined }
  },
  findLate: (name) => {
    late ??= JSON.parse(read(packed.late)) as Readonly<Record<string, TextPlace>>
    return { code: read(late[name]!), cache: undefined }
  },
}
start(store, require)
