import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { build, type Metafile } from 'esbuild'
import { oldestNode } from '../bundle/loader/oldest-node.ts'
import { readCommit } from '../commit.ts'
import { root } from '../tree.ts'

/** Bundles each file of `src/library/` into a module of its name; what several use is a chunk. */
export async function bundleLibrary(directory: string): Promise<{ metafile: Metafile }> {
  return build({
    absWorkingDir: root,
    entryPoints: readdirSync(join(root, 'src', 'library')).map((file) => `src/library/${file}`),
    outdir: directory,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: oldestNode,
    // People read it in a debugger, and what they do not use falls away when they bundle it.
    minify: false,
    mainFields: ['module', 'main'],
    define: { BUILD_COMMIT: JSON.stringify(readCommit()) },
    // Libraries in CommonJS form require modules of Node.
    banner: {
      js: "import { createRequire as createNodeRequire } from 'node:module'\nconst require = createNodeRequire(import.meta.url)",
    },
    metafile: true,
    logLevel: 'warning',
  })
}
