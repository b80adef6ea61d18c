import { dirname, join } from 'node:path'
import type { Metafile, Plugin } from 'esbuild'
import { buildPageScript } from '../../src/cli/config/edit/build-page-script.ts'

/**
 * Replaces the module that would bundle the page script of `gatepass config edit` by the bundled script.
 * @param onBundled Receives the metadata of the script, which the program's metafile lacks.
 */
export function createPageScriptPlugin(onBundled: (outputs: Metafile['outputs']) => void): Plugin {
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
