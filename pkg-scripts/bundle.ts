import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { type BuildOptions, build, type Metafile } from 'esbuild'
import { bundleDirectory, bundlePath, helperNames, root } from './helpers.ts'
import { packChunks } from './pack.ts'

/** One helper's bundle. */
export interface Bundle {
  readonly name: string
  readonly bytes: number
  /** What is in it, as esbuild tells. */
  readonly metafile: Metafile
}

/** Bundles every helper into one file that a plain Node 22 or newer runs with no `node_modules` beside it. */
export async function bundleHelpers(): Promise<Bundle[]> {
  mkdirSync(bundleDirectory, { recursive: true })
  return Promise.all(helperNames().map(bundleHelper))
}

async function bundleHelper(name: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    ...bundleOptions,
    stdin: {
      contents: `import helper from './helpers/${name}.ts'\nimport { main } from './src/helper/main.ts'\nmain('${name}', helper)`,
      resolveDir: root,
      sourcefile: `${name}.entry.ts`,
      loader: 'ts',
    },
  })
  const code = await packChunks(outputFiles, metafile)
  // Written beside its target and renamed: whoever runs a bundle meanwhile has the old one or the new one.
  const draft = `${bundlePath(name)}.${process.pid}.tmp`
  writeFileSync(draft, code)
  chmodSync(draft, 0o755)
  renameSync(draft, bundlePath(name))
  return { name, bytes: Buffer.byteLength(code), metafile }
}

const bundleOptions = {
  absWorkingDir: root,
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
  metafile: true,
  logLevel: 'warning',
} as const satisfies BuildOptions
