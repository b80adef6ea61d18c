import { checkRuntime } from './check-runtime.ts'
import { prepareNames } from './prepare-names.ts'
import { answerOrStart, type Compiled, type Store, start } from './start-packed.ts'
import { nameRuntime } from './this-runtime.ts'

/** The position of a piece in the source of `kept`. */
export type TextPlace = readonly [from: number, to: number]

/** The pieces of a program in one file; `render-file.ts` writes them before this loader. */
export interface FilePacked {
  readonly entry: string
  /** The name of the one helper in the file. */
  readonly program: string
  /** The runtime that compiled the code in `cache`. */
  readonly compiledBy: string
  readonly early: TextPlace
  readonly cache: TextPlace
  /** The piece that reads the names of the client's vendor. */
  readonly names: { readonly chunk: string; readonly code: TextPlace; readonly cache: TextPlace }
  /** For helpers only: the piece that may answer a call before the early one is loaded, and a digest of both. */
  readonly beginning?:
    | { readonly chunk: string; readonly code: TextPlace; readonly cache: TextPlace; readonly build: string }
    | undefined
  /** The places of the late pieces by name, as JSON. */
  readonly late: TextPlace
  /** The pieces that hold several chunks, by the names of the chunks. */
  readonly joint: Readonly<Record<string, string>>
  /** The code of rarely used late pieces, by name, as JSON, compressed and in base64. */
  readonly rare: TextPlace
  /** Never called: a comment in it contains the pieces, which the runtime keeps as part of the source. */
  kept(): void
}

declare const packed: FilePacked

const read = (place: TextPlace) => packed.kept.toString().slice(...place)

let late: Readonly<Record<string, TextPlace>> | undefined
let rare: Readonly<Record<string, string>> | undefined

const store: Store = {
  entry: packed.entry,
  joint: packed.joint,
  readEarly: () => readCompiled(packed.early, packed.cache),
  readLate: (name) => {
    late ??= JSON.parse(read(packed.late)) as Readonly<Record<string, TextPlace>>
    const place = late[name]
    return { code: place ? read(place) : readRare(name), cache: undefined }
  },
}

function readRare(name: string): string {
  const { brotliDecompressSync } = process.getBuiltinModule('node:zlib')
  rare ??= JSON.parse(brotliDecompressSync(Buffer.from(read(packed.rare), 'base64')).toString()) as typeof rare
  return rare![name]!
}

const { beginning, program, names } = packed
const startProgram = (beginning?: unknown) => {
  const piece = { chunk: names.chunk, read: () => readCompiled(names.code, names.cache) }
  const call = packed.beginning && { program, argv: process.argv.slice(2) }
  return start(store, require, beginning, prepareNames(piece, call ? 'machine' : 'caller', require, call))
}
if (checkRuntime(program) === 'refused') {
  // Without a usable runtime, no part of the program may run.
} else if (beginning) {
  const { chunk, code, cache, build } = beginning
  const readChunk = () => readCompiled(code, cache)
  answerOrStart({ chunk, read: readChunk }, { program, argv: process.argv.slice(2), build }, require, startProgram)
} else startProgram()

function readCompiled(code: TextPlace, cache: TextPlace): Compiled {
  const bytes = packed.compiledBy === nameRuntime() ? Buffer.from(read(cache), 'base64') : undefined
  return { code: read(code), cache: bytes?.length ? bytes : undefined }
}
