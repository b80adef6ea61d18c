import { chmodSync } from 'node:fs'
import { type BuildOptions, type BuildResult, build } from 'esbuild'
import { bundlePath, helperNames, root } from './helpers.ts'

/** Bundles every helper into one file that a plain Node 22 or newer runs with no `node_modules` beside it. */
export async function bundleHelpers(): Promise<Map<string, BuildResult<{ metafile: true }>>> {
  const results = await Promise.all(helperNames().map(async (name) => [name, await bundleHelper(name)] as const))
  return new Map(results)
}

async function bundleHelper(name: string) {
  const result = await build({
    ...bundleOptions,
    stdin: {
      contents: `import helper from './helpers/${name}.ts'\nimport { main } from './src/helper/main.ts'\nmain('${name}', helper)`,
      resolveDir: root,
      sourcefile: `${name}.entry.ts`,
      loader: 'ts',
    },
    outfile: bundlePath(name),
  })
  chmodSync(bundlePath(name), 0o755)
  return result
}

const bundleOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node22',
  minify: true,
  legalComments: 'none',
  // The SDK's ES modules can be shaken; what a cached call does not touch is wrapped and not run.
  mainFields: ['module', 'main'],
  banner: { js: '#!/usr/bin/env node' },
  metafile: true,
  logLevel: 'warning',
} as const satisfies BuildOptions
