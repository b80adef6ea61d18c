import { build, type Metafile } from 'esbuild'

/**
 * Bundles the script of the page with its libraries. Loaded only from source and by builds.
 * @param tree The directory to which the metafile's paths are relative; the current one if absent.
 */
export async function buildPageScript(
  entry: string,
  tree?: string,
): Promise<{ readonly script: string; readonly metafile: Metafile }> {
  const { outputFiles, metafile } = await build({
    ...(tree !== undefined && { absWorkingDir: tree }),
    entryPoints: [entry],
    write: false,
    outdir: '.',
    bundle: true,
    format: 'iife',
    platform: 'browser',
    target: ['chrome111', 'firefox115', 'safari16.4'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    charset: 'ascii',
    minify: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  })
  return { script: outputFiles[0]!.text, metafile }
}
