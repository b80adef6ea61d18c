import { buildLoader } from '../bundle/build-loader.ts'
import { compileAhead } from '../bundle/code-cache.ts'
import { digestBuild } from '../bundle/digest-build.ts'
import type { ExecutablePacked, PiecePlace } from '../bundle/loader/executable.ts'
import type { Packed } from '../bundle/pack.ts'

/** The content that is added to a runtime. */
export interface Content {
  /** The script that it runs. */
  readonly main: string
  /** Whether the script runs while the executable is built; every start continues from that state. */
  readonly isSnapshot?: boolean
  /** Files that the script can read by name. */
  readonly assets?: ReadonlyMap<string, Buffer>
  /** The asset with code that was compiled ahead, if any. It must begin at a position where V8 need not copy the code. */
  readonly alignedAsset?: string
}

/** Packs all pieces of a program into one asset, with the compiled code of this machine's runtime for the pieces that are worth it. */
export async function assembleContent(
  { entry, early, earlyOf, beginning, names, late, joint }: Packed,
  isCached: boolean,
): Promise<Content> {
  const own = [...earlyOf].map(([helper, code]): CodePart => [`early ${helper}`, code])
  const asset = new Asset(isCached)
  const earlyPlaces = asset.add([['early', early], ...own])
  const [place] = beginning ? Object.values(asset.add([['beginning', beginning.code]])) : []
  const { names: namesPlace } = asset.add([['names', names.code]])
  const isJoint = new Set(joint.values())
  const jointPlaces = asset.add([...late].filter(([name]) => isJoint.has(name)))
  const latePlaces = asset.add([...late].filter(([name]) => !isJoint.has(name)))
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
    joint: Object.fromEntries(joint),
    jointPlaces,
    late: asset.append(Buffer.from(JSON.stringify(latePlaces))),
  }
  const loader = `(function(packed,asset,require,module){${await buildLoader('executable')}})`
  const { loader: loaderPlace } = asset.add([['loader', loader]])
  return {
    main: renderMain(loaderPlace!, packed),
    assets: new Map([[piecesAsset, asset.toBytes()]]),
    ...(isCached && { alignedAsset: piecesAsset }),
  }
}

/** Renders the script of the executable. The loader is a piece too, so that it need not be compiled. */
function renderMain([code, cache, end]: PiecePlace, packed: ExecutablePacked): string {
  const text = `Buffer.from(asset,${code},${cache - code}).toString("latin1")`
  const options =
    cache < end ? `{filename:"loader",cachedData:new Uint8Array(asset,${cache},${end - cache})}` : '"loader"'
  return `const asset=require("node:sea").getRawAsset("${piecesAsset}");
new(require("node:vm").Script)(${text},${options}).runInThisContext()(${JSON.stringify(packed)},asset,require,module)`
}

type CodePart = readonly [name: string, code: string]

/** The name under which the script finds the pieces. */
const piecesAsset = 'pieces'

/** A sequence of bytes. */
class Asset {
  readonly #isCached: boolean
  readonly #parts: Buffer[] = []
  #length = 0

  constructor(isCached: boolean) {
    this.#isCached = isCached
  }

  /** The padding after a piece of code belongs to it, because V8 compares the length. */
  add(pieces: readonly CodePart[]): Record<string, PiecePlace> {
    const codes = pieces.map(([, code]) => code + ' '.repeat(countToNext(code.length)))
    const caches = this.#isCached ? compileAhead(codes) : []
    return Object.fromEntries(
      pieces.map(([name], index) => {
        this.append(Buffer.alloc(countToNext(this.#length)))
        const [from, middle] = this.append(Buffer.from(codes[index]!, 'latin1'))
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

/** Counts the bytes to the next position for compiled code: V8 copies code at any other position before reading it. */
export function countToNext(at: number): number {
  return (codeAlignment - (at % codeAlignment)) % codeAlignment
}

const codeAlignment = 8
