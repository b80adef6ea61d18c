import { findHelperChoice } from '../../../src/suite/find-helper-choice.ts'
import { prepareNames } from './prepare-names.ts'
import { answerOrStart, type Compiled, start } from './start-packed.ts'

/** The position of a piece in the asset: its code, followed by the code that the building machine compiled, if any. */
export type PiecePlace = readonly [code: number, cache: number, end: number]

/** The data that `assemble-content.ts` in `pkg-scripts/executable` gives this loader. */
export interface ExecutablePacked {
  readonly entry: string
  /** The helpers with an early piece of their own. */
  readonly helpers: readonly string[]
  /** Places of the early pieces by name. */
  readonly early: Readonly<Record<string, PiecePlace>>
  /** For helpers only: the piece that may answer a call before the early one is loaded, and a digest of all pieces. */
  readonly beginning?: { readonly chunk: string; readonly place: PiecePlace; readonly build: string } | undefined
  /** The piece that reads the names of the client's vendor. */
  readonly names: { readonly chunk: string; readonly place: PiecePlace }
  /** The pieces that hold several chunks, by the names of the chunks. */
  readonly joint: Readonly<Record<string, string>>
  /** The positions of these pieces, which a call without a cached token loads: parsing the whole list takes 0.3 ms. */
  readonly jointPlaces: Readonly<Record<string, PiecePlace>>
  /** The place of the list of the other late pieces, as JSON. */
  readonly late: readonly [from: number, to: number]
}

declare const packed: ExecutablePacked
/** One asset for all pieces, because the runtime reads the table of its assets at each start from all over the executable. */
declare const asset: ArrayBuffer

const read = (from: number, to: number) => Buffer.from(asset, from, to - from).toString('latin1')

let late: Readonly<Record<string, PiecePlace>> | undefined

const choice = findHelperChoice(packed.helpers, [process.argv0, process.execPath], process.argv.slice(2))
const readEarly = () => take(packed.early[choice ? `early ${choice.name}` : 'early']!)
const { beginning, names } = packed
const startProgram = (begun?: unknown) => {
  const piece = { chunk: names.chunk, read: () => take(names.place) }
  const call = choice && beginning && { program: choice.name, argv: choice.argv }
  const named = prepareNames(piece, beginning ? 'machine' : 'caller', require, call)
  const { entry, joint } = packed
  return start({ entry, joint, readEarly, readLate }, require, begun, named)
}

function readLate(name: string): Compiled {
  const place = packed.jointPlaces[name]
  if (place) return take(place)
  late ??= JSON.parse(read(...packed.late)) as Readonly<Record<string, PiecePlace>>
  return take(late[name]!)
}

function take([code, cache, end]: PiecePlace): Compiled {
  return { code: read(code, cache), cache: cache < end ? new Uint8Array(asset, cache, end - cache) : undefined }
}

if (choice && beginning) {
  const { chunk, place, build } = beginning
  answerOrStart(
    { chunk, read: () => take(place) },
    { program: choice.name, argv: choice.argv, build },
    require,
    startProgram,
  )
} else startProgram()
