import { basename, join } from 'node:path'
import { build, type Metafile, type OutputFile, transform } from 'esbuild'

/** How a program is started: from its text by any Node, or from a snapshot by the Node that it is built into. */
export type Form = 'file' | 'snapshot'

/**
 * Packs the chunks of a split build into one CommonJS file. In a file, chunks that only a dynamic import reaches are kept
 * as text and compiled when they are first asked for, because reading code is most of what a cached call would pay for.
 * In a snapshot all chunks are code, and those that most calls need are loaded while it is built.
 */
export async function packChunks(files: readonly OutputFile[], metafile: Metafile, form: Form): Promise<string> {
  const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]))
  const entry = [...outputs].find(([, output]) => output.entryPoint?.endsWith('.entry.ts'))?.[0] ?? ''
  const code = form === 'file' ? findStaticImports([entry], outputs) : new Set(outputs.keys())
  const chunks = await Promise.all(files.map((file) => renderChunk(file, code)))
  const early = form === 'file' ? [] : [...findStaticImports([entry, ...findHelperChunks(metafile, outputs)], outputs)]
  // In order of their names, so that the same sources give the same file.
  const table = `{${chunks.sort().join(',\n')}}`
  const packed = `const packed={entry:${JSON.stringify(entry)},early:${JSON.stringify(early.sort())},chunks:${table}};`
  return `#!/usr/bin/env node\n"use strict";\n${packed}\n${await renderLoader(form)}`
}

type Outputs = ReadonlyMap<string, Metafile['outputs'][string]>

/**
 * Chunks of the helpers and of what their own files import when they mint. What a source imports further on belongs to
 * one kind of sign-in among many, which waits for a network; in the snapshot it would cost every call its reading.
 */
function findHelperChunks({ inputs }: Metafile, outputs: Outputs): string[] {
  const helpers = Object.keys(inputs).filter((path) => path.startsWith('helpers/'))
  const asked = helpers.flatMap((path) => inputs[path]?.imports ?? []).filter(({ kind }) => kind === 'dynamic-import')
  const modules = new Set([...helpers, ...asked.map(({ path }) => path)])
  return [...outputs].filter(([, { entryPoint }]) => entryPoint && modules.has(entryPoint)).map(([name]) => name)
}

function findStaticImports(from: readonly string[], outputs: Outputs): Set<string> {
  const found = new Set(from)
  for (const name of found) {
    for (const { kind, path } of outputs.get(name)?.imports ?? []) {
      if (kind === 'import-statement' && outputs.has(basename(path))) found.add(basename(path))
    }
  }
  return found
}

async function renderChunk({ path, text }: OutputFile, code: ReadonlySet<string>): Promise<string> {
  const name = basename(path)
  const commonJs = await toCommonJs(text)
  return `${JSON.stringify(name)}:${code.has(name) ? `(exports,module,require)=>{${commonJs}}` : JSON.stringify(commonJs)}`
}

async function toCommonJs(code: string): Promise<string> {
  const result = await transform(code, {
    format: 'cjs',
    platform: 'node',
    target: 'node22',
    minify: true,
    supported: { 'dynamic-import': false },
  })
  return result.code.trim()
}

async function renderLoader(form: Form): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'loader', `${form}.ts`)],
    write: false,
    bundle: true,
    platform: 'node',
    format: 'iife',
    target: 'node22',
    minify: true,
    logLevel: 'warning',
  })
  return outputFiles[0]!.text
}
