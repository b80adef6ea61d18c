import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { type BuildOptions, build, type Metafile } from 'esbuild'
import { bundleDirectory, bundlePath, helperNames, root } from './helpers.ts'
import { packChunks } from './pack.ts'

/** One program's bundle. */
export interface Bundle {
  readonly name: string
  readonly bytes: number
  /** What is in it, as esbuild tells. */
  readonly metafile: Metafile
}

/** Bundles every program into one file that a plain Node 22 or newer runs with no `node_modules` beside it. */
export async function bundleAll(): Promise<Bundle[]> {
  mkdirSync(bundleDirectory, { recursive: true })
  return Promise.all([...helperNames().map((name) => bundle(name, helperEntry(name))), bundle('gatepass', cliEntry())])
}

function helperEntry(name: string): string {
  return `import helper from './helpers/${name}.ts'\nimport { main } from './src/helper/main.ts'\nmain('${name}', helper)`
}

/** The command knows every helper; the folder is the list. */
function cliEntry(): string {
  const names = helperNames()
  const imports = names.map((name, index) => `import helper${index} from './helpers/${name}.ts'`)
  const entries = names.map((name, index) => `['${name}', helper${index}]`)
  return `${imports.join('\n')}\nimport { main } from './src/cli/main.ts'\nmain(new Map([${entries.join(', ')}]))`
}

async function bundle(name: string, contents: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    ...bundleOptions,
    stdin: { contents, resolveDir: root, sourcefile: `${name}.entry.ts`, loader: 'ts' },
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
