// Folder: one file per program, packed so that a call from the cache starts fast.

import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'
import { buildPageScript } from '../../src/cli/config/edit/build-page-script.ts'
import { readCommit } from '../commit.ts'
import { bundleDirectory, listHelpers, root } from '../tree.ts'
import { createDirectImports } from './direct-imports.ts'
import { oldestNode } from './loader/oldest-node.ts'
import { type Packed, packChunks } from './pack.ts'
import { type BundledProgram, createCliProgram, createHelperProgram } from './programs.ts'
import { renderFile } from './render-file.ts'

/** One program's bundle. */
export interface Bundle {
  readonly name: string
  readonly packed: Packed
  /** The content of the bundle, as esbuild reports it. */
  readonly metafile: Metafile
}

/** A bundle that is one file of its own. */
export interface WrittenBundle extends Bundle {
  readonly bytes: number
}

/** The sources of a build: this tree and its vendor by default. */
export interface BuildFrom {
  readonly tree?: string
  /** A file in place of `src/vendor.json`. */
  readonly vendorFile?: string | undefined
}

/** Bundles every program into one file that Node 22.13 or newer runs without `node_modules`. */
export async function bundleAll(from: BuildFrom = {}, directory: string = bundleDirectory): Promise<WrittenBundle[]> {
  const programs = [...listHelpers(from.tree).map(createHelperProgram), createCliProgram(from.tree)]
  const directImports = createDirectImports()
  return Promise.all(
    programs.map(async (program) => {
      const made = await bundle(program, from, directImports)
      const code = await renderFile(made.packed, program.isWaitedFor)
      writeProgram(join(directory, `${program.name}.cjs`), code)
      return { ...made, bytes: code.length }
    }),
  )
}

/**
 * Bundles one program.
 * @param directImports Shared by builds of the same sources.
 */
export async function bundle(
  { name, entry, isWaitedFor }: Pick<BundledProgram, 'name' | 'entry' | 'isWaitedFor'>,
  from: BuildFrom = {},
  directImports: Plugin = createDirectImports(),
): Promise<Bundle> {
  const { tree = root, vendorFile } = from
  let ofPage: Metafile['outputs'] = {}
  const pageScript = createPageScriptPlugin((outputs) => {
    ofPage = outputs
  })
  const { outputFiles, metafile } = await build({
    ...bundleOptions,
    absWorkingDir: tree,
    define: { BUILD_COMMIT: JSON.stringify(readCommit()) },
    plugins: [
      // Before the next plugin, which handles every source.
      pageScript,
      directImports,
      onlyVersion,
      withoutProtoLoader,
      ...(isWaitedFor ? [withoutDiagnoses] : []),
      ...(vendorFile ? [replaceVendor(vendorFile)] : []),
    ],
    stdin: { contents: entry, resolveDir: tree, sourcefile: `${name}.entry.ts`, loader: 'ts' },
  })
  const packed = await packChunks(name, outputFiles, metafile)
  return { name, packed, metafile: { ...metafile, outputs: { ...metafile.outputs, ...ofPage } } }
}

/**
 * Replaces the module that would bundle the page script of `gatepass config edit` by the bundled script.
 * @param onBundled Receives the metadata of the script, which the program's metafile lacks.
 */
function createPageScriptPlugin(onBundled: (outputs: Metafile['outputs']) => void): Plugin {
  return {
    name: 'page script',
    setup: ({ onLoad, initialOptions: { absWorkingDir } }) =>
      onLoad({ filter: /[\\/]edit[\\/]page-script\.ts$/ }, async ({ path }) => {
        const { script, metafile } = await buildPageScript(join(dirname(path), 'page/main.tsx'), absWorkingDir)
        onBundled(metafile.outputs)
        return { contents: `export const bundlePageScript = async () => ${JSON.stringify(script)}`, loader: 'js' }
      }),
  }
}

/** Writes a program under another name and renames it, so that a concurrent run has the old or the new one. */
export function writeProgram(path: string, code: string): void {
  mkdirSync(dirname(path), { recursive: true })
  const draft = `${path}.${process.pid}.tmp`
  writeFileSync(draft, code)
  chmodSync(draft, 0o755)
  renameSync(draft, path)
}

/** Reduces our own `package.json` to its version, which is all that our code reads of it. */
export const onlyVersion: Plugin = {
  name: 'version',
  setup: ({ onLoad, initialOptions: { absWorkingDir = root } }) =>
    onLoad({ filter: /package\.json$/ }, async ({ path }) => {
      if (path !== join(absWorkingDir, 'package.json')) return undefined
      const { version } = JSON.parse(await readFile(path, 'utf8')) as { version: string } // npm requires a version
      return { contents: JSON.stringify({ version }), loader: 'json' }
    }),
}

/** Omits the modules `diagnose-….ts`, which only `gatepass doctor` imports, on use. */
const withoutDiagnoses: Plugin = {
  name: 'without diagnoses',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /\/diagnose-[\w-]+\.ts$/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, namespace: 'left out' } : undefined,
    )
    onLoad({ filter: /./, namespace: 'left out' }, () => ({ contents: '' }))
  },
}

/** Omits the modules that gRPC loads for its debug service, which is disabled, and for load reports, which are not sent. */
const withoutProtoLoader: Plugin = {
  name: 'without the proto loader',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^@grpc\/proto-loader$/ }, ({ path }) => ({ path, namespace: 'no loader' }))
    onLoad({ filter: /./, namespace: 'no loader' }, () => ({ contents: '' }))
  },
}

function replaceVendor(file: string): Plugin {
  return {
    name: 'vendor',
    setup: ({ onResolve }) => onResolve({ filter: /\/vendor\.json$/ }, () => ({ path: file })),
  }
}

const bundleOptions = {
  outdir: bundleDirectory,
  write: false,
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: oldestNode,
  minify: true,
  legalComments: 'none',
  // The SDK's ES modules support tree shaking and splitting, so that an uncached call loads little of them; its CommonJS ones do not.
  mainFields: ['module', 'main'],
  metafile: true,
  logLevel: 'warning',
} as const satisfies BuildOptions
