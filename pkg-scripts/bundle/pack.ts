import { basename } from 'node:path'
import { type Metafile, type OutputFile, type TransformOptions, transform } from 'esbuild'
import { oldestNode } from './oldest-node.ts'

/**
 * A program in pieces. Each is a script: the value of a late one is a function that, given `require`, gives the exports of
 * its one chunk; that of an early one holds such functions by the names of their chunks.
 */
export interface Packed {
  /** Name of the chunk that exports `start`. */
  readonly entry: string
  /** Of the program, with the chunks that every call needs. */
  readonly early: string
  /** The same for each helper that the program loads when it is chosen, with the helper's own chunks. */
  readonly earlyOf: ReadonlyMap<string, string>
  /** By name, of one chunk each: those that only a dynamic import reaches. */
  readonly late: ReadonlyMap<string, string>
}

/**
 * Packs the chunks of a split build. ReadResult code is most of what a cached call would pay for, so what such a call does
 * not need is kept apart until it is asked for.
 */
export async function packChunks(files: readonly OutputFile[], { outputs }: Metafile): Promise<Packed> {
  const chunks = new Map(Object.entries(outputs).map(([path, output]) => [basename(path), output]))
  const entry = [...chunks].find(([, { entryPoint }]) => entryPoint?.endsWith('.entry.ts'))?.[0] ?? ''
  const isEarly = findStaticImports([entry], chunks)
  // In order of their names, so that the same sources give the same program.
  const texts = files.map(({ path, text }) => [basename(path), text] as const).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const functions = await Promise.all(texts.map(async ([name, text]) => [name, await toFunction(text)] as const))
  const join = (names: ReadonlySet<string>) => renderTable(functions.filter(([name]) => names.has(name)))
  const helpers = findHelpers(chunks).filter(([, name]) => !isEarly.has(name))
  return {
    entry,
    early: join(isEarly),
    earlyOf: new Map(helpers.map(([helper, name]) => [helper, join(findStaticImports([entry, name], chunks))])),
    late: new Map(functions.filter(([name]) => !isEarly.has(name))),
  }
}

type Chunks = ReadonlyMap<string, Metafile['outputs'][string]>

/** Names of the helpers that are chunks of their own, with the chunks' names. */
function findHelpers(chunks: Chunks): [helper: string, chunk: string][] {
  return [...chunks].flatMap(([name, { entryPoint }]) => {
    const [, helper] = /^helpers\/(.+)\.ts$/.exec(entryPoint ?? '') ?? []
    return helper ? [[helper, name]] : []
  })
}

function findStaticImports(from: readonly string[], chunks: Chunks): Set<string> {
  const found = new Set(from)
  for (const name of found) {
    for (const { kind, path } of chunks.get(name)?.imports ?? []) {
      if (kind === 'import-statement' && chunks.has(basename(path))) found.add(basename(path))
    }
  }
  return found
}

function renderTable(functions: readonly (readonly [name: string, code: string])[]): string {
  return `({${functions.map(([name, code]) => `${JSON.stringify(`./${name}`)}:${code}`).join(',')}})`
}

async function toFunction(code: string): Promise<string> {
  const result = await transform(code, asFunction)
  return `(function(require){var module={};${result.code.trim()};return module.exports})`
}

/** In ASCII, which the loaders rely on. */
const asFunction = {
  format: 'cjs',
  platform: 'neutral',
  target: oldestNode,
  charset: 'ascii',
  minify: true,
  // Without template literals no line breaks are left in it.
  supported: { 'dynamic-import': false, 'template-literal': false },
} as const satisfies TransformOptions
