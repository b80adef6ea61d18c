import { basename } from 'node:path'
import { type BuildOptions, build, type Metafile, type OutputFile, type Plugin, transform } from 'esbuild'
import { oldestNode } from './loader/oldest-node.ts'

/**
 * A program in pieces. Each is a script whose value is a function: with `require`, an early one returns its loaded chunks by name, and a
 * late one its single chunk.
 */
export interface Packed {
  /** Name of the program. */
  readonly program: string
  /** Name of the chunk that exports `start`. */
  readonly entry: string
  /** The code of the program, with the chunks that every call needs. */
  readonly early: string
  /** The same for each helper that the program can load, including the helper's own chunks. */
  readonly earlyOf: ReadonlyMap<string, string>
  /** The code that can answer a call before the rest is loaded, and the name of its chunk; only for helpers. */
  readonly beginning?: LonePiece | undefined
  /** The piece that reads the names of the client's vendor before the rest is loaded. */
  readonly names: LonePiece
  /** The pieces that only a dynamic import reaches, by name: each is one chunk, or the chunks that a call loads together. */
  readonly late: ReadonlyMap<string, string>
  /** The name of the piece for each chunk that other pieces import from a piece with several chunks. */
  readonly joint: ReadonlyMap<string, string>
  /** The names of long and rarely used late pieces: in a file they are compressed, because every call reads the file. */
  readonly rare: ReadonlySet<string>
}

/**
 * Packs the chunks of a split build. Parsing code is most of the time of a cached call, so code that such a call does not need is kept
 * apart.
 */
export async function packChunks(
  program: string,
  files: readonly OutputFile[],
  { outputs }: Metafile,
): Promise<Packed> {
  const chunks = new Map(Object.entries(outputs).map(([path, output]) => [basename(path), output]))
  const entry = [...chunks].find(([, { entryPoint }]) => entryPoint?.endsWith('.entry.ts'))?.[0] ?? ''
  const earlyNames = listStaticImports([entry], chunks)
  // Sorted by name, so that the same sources give the same program.
  const texts = files.map(({ path, text }) => [basename(path), text] as const).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const late = texts.filter(([name]) => !earlyNames.has(name))
  const join = (names: ReadonlySet<string>, taken: Iterable<string> = names) =>
    buildJointPiece(new Map(texts.filter(([name]) => names.has(name))), chunks, [...taken])
  const findLone = async (path: string): Promise<LonePiece | undefined> => {
    const chunk = [...chunks].find(([, { entryPoint }]) => entryPoint === path)?.[0]
    return chunk === undefined ? undefined : { chunk, code: await join(listStaticImports([chunk], chunks), [chunk]) }
  }
  const helpers = listHelperChunks(chunks).filter(([, name]) => !earlyNames.has(name))
  const joint = await Promise.all(
    listJoint(chunks, earlyNames).map(async (piece) => ({ ...piece, code: await join(piece.members, piece.taken) })),
  )
  const jointNames = new Set(joint.flatMap(({ members }) => [...members]))
  const alone = late.filter(([name]) => !jointNames.has(name))
  return {
    program,
    entry,
    early: await join(earlyNames),
    earlyOf: new Map(
      await Promise.all(
        helpers.map(async ([helper, name]) => [helper, await join(listStaticImports([entry, name], chunks))] as const),
      ),
    ),
    beginning: await findLone('src/helper/memo/answer-from-memo.ts'),
    names: (await findLone('src/helper/memo/before-names.ts')) ?? { chunk: '', code: '' },
    late: new Map([
      ...(await Promise.all(alone.map(async ([name, text]) => [name, await buildChunkPiece(text)] as const))),
      ...joint.map(({ name, code }) => [name, code] as const),
    ]),
    joint: new Map(joint.flatMap(({ name, taken }) => taken.map((chunk) => [chunk, name] as const))),
    rare: listRare(entry, chunks),
  }
}

/** A piece that does not need the rest, and the name of its first chunk. */
interface LonePiece {
  readonly code: string
  readonly chunk: string
}

type Chunks = ReadonlyMap<string, Metafile['outputs'][string]>

function listStaticImports(from: readonly string[], chunks: Chunks): Set<string> {
  const found = new Set(from)
  for (const name of found) {
    for (const { kind, path } of chunks.get(name)?.imports ?? []) {
      if (kind === 'import-statement' && chunks.has(basename(path))) found.add(basename(path))
    }
  }
  return found
}

/**
 * Modules that a call without a cached token imports shortly after each other, if the program contains them, and the name of the piece for
 * their chunks. Separate scripts would take a millisecond longer.
 */
const jointModules: readonly (readonly [piece: string, modules: readonly string[]])[] = [
  ['mint', ['src/helper/mint/mint-under-lock.ts', 'src/helper/cache/record-hand-out.ts']],
  ['aws', ['src/sources/aws/credentials/credentials.ts', 'src/sources/aws/proofs/short-term-key.ts']],
]

/**
 * Joins chunks in one scope, in which a value of another chunk is a variable and not a property. Late chunks get the values after all have
 * run, not a getter for each as in a module's namespace, because no export is assigned again.
 * @param taken Chunks whose exports other chunks use. Unused exports of the rest are omitted.
 */
async function buildJointPiece(
  texts: ReadonlyMap<string, string>,
  chunks: Chunks,
  taken: readonly string[],
): Promise<string> {
  const parts = taken.map((name, index) => {
    const names = (chunks.get(name)?.exports ?? []).map((exported) => ({ exported, local: `${exported}_${index}` }))
    const imported = names.map(({ exported, local }) => `${exported} as ${local}`).join(', ')
    const members = [...names.map(({ exported, local }) => `${exported}: ${local}`), markModule].join(', ')
    const from = JSON.stringify(`./${name}`)
    return { line: `import {${imported}} from ${from}`, row: `${from}: {${members}}` }
  })
  const table = `export const chunks = {${parts.map(({ row }) => row).join(', ')}}`
  const { outputFiles } = await build({
    ...pieceOptions,
    stdin: { contents: [...parts.map(({ line }) => line), table].join('\n') },
    bundle: true,
    write: false,
    plugins: [createMemoryPlugin(texts)],
    logLevel: 'error',
  })
  return `(function(require){var module={};${escapeBeyondAscii(outputFiles[0]!.text.trim())};return module.exports.chunks})`
}

/** A dynamic import recognizes a translated ES module, whose `default` is one of its exports, by this mark. */
const markModule = '__esModule: true'

/** Lists the helpers that are separate chunks, with the chunks' names. */
function listHelperChunks(chunks: Chunks): [helper: string, chunk: string][] {
  return [...chunks].flatMap(([name, { entryPoint }]) => {
    const [, helper] = /^helpers\/(.+)\.ts$/.exec(entryPoint ?? '') ?? []
    return helper ? [[helper, name]] : []
  })
}

/** Lists the chunks of each such piece, and those that other chunks import. No static import leads back to them. */
function listJoint(
  chunks: Chunks,
  earlyNames: ReadonlySet<string>,
): { name: string; members: Set<string>; taken: string[] }[] {
  const takenNames = new Set(earlyNames)
  return jointModules.flatMap(([name, modules]) => {
    const from = [...chunks].filter(([, { entryPoint = '' }]) => modules.includes(entryPoint)).map(([chunk]) => chunk)
    const members = listStaticImports(from, chunks).difference(takenNames)
    for (const member of members) takenNames.add(member)
    const imports = [...chunks].flatMap(([chunk, { imports }]) =>
      imports.filter(({ kind }) => kind === 'dynamic-import' || !members.has(chunk)),
    )
    const imported = new Set(imports.map(({ path }) => basename(path)))
    const taken = [...members].filter((member) => imported.has(member))
    return members.size > 1 ? [{ name, members, taken }] : []
  })
}

/** Modules that are imported rarely and on use: the AWS SDK, which runs in a process of its own. */
const rareModules: readonly string[] = ['src/sources/aws/sdk-chain/run-sdk-chain.ts']

function createMemoryPlugin(files: ReadonlyMap<string, string>): Plugin {
  return {
    name: 'in memory',
    setup: ({ onResolve, onLoad }) => {
      // A dynamic import stays one, which the loader handles: esbuild would make every chunk wait for its first import.
      onResolve({ filter: /./ }, ({ path, kind }) =>
        kind !== 'dynamic-import' && files.has(basename(path))
          ? { path: basename(path), namespace: 'memory' }
          : { path, external: true },
      )
      onLoad({ filter: /./, namespace: 'memory' }, ({ path }) => ({ contents: files.get(path)! }))
    },
  }
}

async function buildChunkPiece(code: string): Promise<string> {
  const result = await transform(code, pieceOptions)
  return `(function(require){var module={};${escapeBeyondAscii(result.code.trim())};return module.exports})`
}

/** The output is ASCII, on which the loaders rely: an executable reads its code byte by byte. */
const pieceOptions = {
  format: 'cjs',
  platform: 'neutral',
  target: oldestNode,
  charset: 'ascii',
  minify: true,
  // Without template literals the output contains no line breaks.
  supported: { 'dynamic-import': false, 'template-literal': false },
} as const satisfies BuildOptions

/** Lists the chunks that only these modules import, directly or not. */
function listRare(entry: string, chunks: Chunks): Set<string> {
  const rare = [...chunks].filter(([, { entryPoint = '' }]) => rareModules.includes(entryPoint)).map(([name]) => name)
  const usual = listImports([entry], chunks, new Set(rare))
  return new Set([...listImports(rare, chunks, new Set())].filter((name) => !usual.has(name)))
}

/** Lists these chunks and what they import, on use or not, without the omitted ones. */
function listImports(from: readonly string[], chunks: Chunks, leftOut: ReadonlySet<string>): Set<string> {
  const found = new Set(from)
  for (const name of found) {
    for (const { path } of chunks.get(name)?.imports ?? []) {
      const next = basename(path)
      if (chunks.has(next) && !leftOut.has(next)) found.add(next)
    }
  }
  return found
}

/** esbuild leaves regular expressions unchanged; these escapes mean the same in them. */
function escapeBeyondAscii(code: string): string {
  return code.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
