import { dirname, join } from 'node:path'
import type { Metafile, Plugin } from 'esbuild'
import { buildPageScript } from '../../src/cli/config/edit/build-page-script.ts'

/**
 * Puts the bundled script of `gatepass config edit` into a program in place of the module that would bundle it.
 * @param onBundled Told what is in the script, because the metafile of the program does not say.
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
