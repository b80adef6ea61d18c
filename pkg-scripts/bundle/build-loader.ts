import { join } from 'node:path'
import { build } from 'esbuild'
import { oldestNode } from './loader/oldest-node.ts'

/** Bundles the loader of a packed program: for its single file, or for the assets of an executable. */
export async function buildLoader(form: 'file' | 'executable'): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'loader', `${form}.ts`)],
    write: false,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: oldestNode,
    minify: true,
    logLevel: 'warning',
  })
  return outputFiles[0]!.text
}
