import { compileAhead } from '../bundle/code-cache.ts'
import { digestBuild } from '../bundle/digest-build.ts'
import type { ExecutablePacked, PiecePlace } from '../bundle/loader/executable.ts'
import { buildLoader } from '../bundle/loader.ts'
import type { Packed } from '../bundle/pack.ts'

/** The content that is put into a runtime. */
export interface Content {
  /** The script that it runs. */
  readonly main: string
  /** Whether the script is run while the executable is built, and continued from there at every start. */
  readonly isSnapshot?: boolean
  /** Files that the script can read by name. */
  readonly assets?: ReadonlyMap<string, string | Uint8Array>
}

/** Every piece of a program in one asset, where it is worth it with what this machine's runtime makes of it. */
export async function renderContent(
  { entry, early, earlyOf, beginning, names, late }: Packed,
  isCached: boolean,
): Promise<Content> {
  const own = [...earlyOf].map(([helper, code]): CodePart => [`early ${helper}`, code])
  const asset = new Asset(isCached)
  const earlyPlaces = asset.add([['early', early], ...own])
  const [place] = beginning ? Object.values(asset.add([['beginning', beginning.code]])) : []
  const { names: namesPlace } = asset.add([['names', names.code]])
  const latePlaces = asset.add([...late])
  const packed: ExecutablePacked = {
    entry,
    helpers: [...earlyOf.keys()],
    early: earlyPlaces,
    beginning: beginning &&
      place && {
        chunk: beginning.chunk,
        place,
        build: digestBuild([early, ...earlyOf.values(), names.code, beginning.code]),
      },
    names: { chunk: names.chunk, place: namesPlace! },
    late: asset.append(Buffer.from(JSON.stringify(latePlaces))),
  }
  return {
    main: `const packed=${JSON.stringify(packed)};\n${await buildLoader('executable')}`,
    assets: new Map([['pieces', asset.toBytes()]]),
  }
}

type CodePart = readonly [name: string, code: string]

/** Bytes that follow each other. */
class Asset {
  readonly #isCached: boolean
  readonly #parts: Buffer[] = []
  #length = 0

  constructor(isCached: boolean) {
    this.#isCached = isCached
  }

  add(pieces: readonly CodePart[]): Record<string, PiecePlace> {
    const caches = this.#isCached ? compileAhead(pieces.map(([, code]) => code)) : []
    return Object.fromEntries(
      pieces.map(([name, code], index) => {
        const [from, middle] = this.append(Buffer.from(code, 'latin1'))
        const [, end] = this.append(caches[index] ?? Buffer.alloc(0))
        return [name, [from, middle, end]]
      }),
    )
  }

  append(part: Buffer): [from: number, to: number] {
    const from = this.#length
    this.#parts.push(part)
    this.#length += part.length
    return [from, this.#length]
  }

  toBytes(): Buffer {
    return Buffer.concat(this.#parts)
  }
}
