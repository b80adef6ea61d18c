import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'
import { readCommit } from './commit.ts'
import { bundleDirectory, helperNames, root } from './helpers.ts'
import { type Form, packChunks } from './pack.ts'
import { cliProgram, helperProgram, type Program } from './programs.ts'

/** One program's bundle. */
export interface Bundle {
  readonly name: string
  readonly code: string
  /** What is in it, as esbuild tells. */
  readonly metafile: Metafile
}

/** What a build is made from; this tree, for the vendor that it names, where nothing else is said. */
export interface BuildFrom {
  readonly tree?: string
  /** A file in place of `src/vendor.json`. */
  readonly vendorFile?: string | undefined
}

/** Bundles every program into one file that a plain Node 22 or newer runs with no `node_modules` beside it. */
export async function bundleAll(from: BuildFrom = {}, directory: string = bundleDirectory): Promise<Bundle[]> {
  const programs = [...helperNames(from.tree).map(helperProgram), cliProgram(from.tree)]
  const bundles = await Promise.all(programs.map((program) => bundle(program, 'file', from)))
  for (const { name, code } of bundles) writeProgram(join(directory, `${name}.cjs`), code)
  return bundles
}

/** Bundles one program for one way to start. */
export async function bundle({ name, entry }: Program, form: Form, from: BuildFrom = {}): Promise<Bundle> {
  const { tree = root, vendorFile } = from
  const { outputFiles, metafile } = await build({
    ...bundleOptions,
    absWorkingDir: tree,
    define: { ...bundleOptions.define, BUILD_COMMIT: JSON.stringify(readCommit()) },
    plugins: vendorFile ? [replaceVendor(vendorFile)] : [],
    stdin: { contents: entry, resolveDir: tree, sourcefile: `${name}.entry.ts`, loader: 'ts' },
  })
  return { name, code: await packChunks(outputFiles, metafile, form), metafile }
}

/** Written beside its target and renamed: whoever runs a program meanwhile has the old one or the new one. */
function writeProgram(path: string, code: string): void {
  mkdirSync(dirname(path), { recursive: true })
  const draft = `${path}.${process.pid}.tmp`
  writeFileSync(draft, code)
  chmodSync(draft, 0o755)
  renameSync(draft, path)
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
  target: 'node22',
  minify: true,
  legalComments: 'none',
  // The SDK's ES modules can be shaken and split; its CommonJS ones cannot.
  mainFields: ['module', 'main'],
  // The SDK asks when it is loaded whether it runs in a Lambda function, which a desktop is not.
  define: {
    'process.env.AWS_LAMBDA_NODEJS_NO_GLOBAL_AWSLAMBDA': '"1"',
    'process.env.AWS_LAMBDA_BENCHMARK_MODE': '"0"',
  },
  metafile: true,
  logLevel: 'warning',
} as const satisfies BuildOptions
