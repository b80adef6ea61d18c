import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build, type Metafile } from 'esbuild'
import { onlyVersion } from '../bundle/bundle.ts'
import { oldestNode } from '../bundle/loader/oldest-node.ts'
import { readCommit } from '../commit.ts'
import { root } from '../tree.ts'

/**
 * Bundles each file of `src/library/` into a module of its name; shared code becomes a chunk. A module whose values one of them exports has
 * a file of its own, too, because a bundler leaves out whole files, and parts of a file only if it knows that they have no effect.
 */
export async function bundleLibrary(directory: string): Promise<{ metafile: Metafile }> {
  const doors = readdirSync(join(root, 'src', 'library')).map((file) => `src/library/${file}`)
  const parts = new Set(doors.flatMap(listExportedModules))
  return build({
    absWorkingDir: root,
    entryPoints: [
      ...doors.map((path) => ({ in: path, out: basename(path, '.ts') })),
      ...[...parts].map((path) => ({ in: path, out: `parts/${basename(path, '.ts')}` })),
    ],
    outdir: directory,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: oldestNode,
    // People read it in a debugger, and unused parts are removed when they bundle it.
    minify: false,
    mainFields: ['module', 'main'],
    define: { BUILD_COMMIT: JSON.stringify(readCommit()) },
    plugins: [onlyVersion],
    // Libraries in CommonJS form require modules of Node.
    banner: {
      js: "import { createRequire as createNodeRequire } from 'node:module'\nconst require = createNodeRequire(import.meta.url)",
    },
    metafile: true,
    logLevel: 'warning',
  })
}

/** Lists the modules of which a file exports values. */
function listExportedModules(door: string): string[] {
  const text = readFileSync(join(root, door), 'utf8')
  return [...text.matchAll(/^export \{[^}]*\} from '\.\.\/(.+)'$/gm)].map(([, module]) => `src/${module}`)
}
