import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Plugin, PluginBuild } from 'esbuild'

/** Keeps out of a program what it would hold or load in vain, because bundling goes by files. */
export const trim: Plugin = {
  name: 'trim',
  setup: (build) => {
    takeVersionOnly(build)
    takeParserOnly(build)
    drawRandomValuesLater(build)
  },
}

/** Of the manifest. */
function takeVersionOnly({ onLoad }: PluginBuild): void {
  onLoad({ filter: /[\\/]package\.json$/ }, async ({ path }) => {
    const { version } = JSON.parse(await readFile(path, 'utf8'))
    return { contents: JSON.stringify({ version }), loader: 'json' }
  })
}

/** The SDK's parser stands in one module with everything that the SDK makes of a configuration. */
function takeParserOnly({ onLoad, onResolve, resolve }: PluginBuild): void {
  onResolve({ filter: /^@smithy\/core\/config$/ }, async ({ path, importer, pluginData, ...options }) => {
    if (pluginData || !/[\\/]shared-files\.ts$/.test(importer)) return undefined
    const whole = await resolve(path, { ...options, importer, pluginData: 'asked' })
    return { path: join(dirname(whole.path), 'shared-ini-file-loader'), namespace: 'parser' }
  })
  onLoad({ filter: /./, namespace: 'parser' }, ({ path }) => ({
    contents: ['externalDataInterceptor', 'loadSharedConfigFiles']
      .map((name) => `export { ${name} } from ${JSON.stringify(join(path, `${name}.js`))}`)
      .join('\n'),
    resolveDir: path,
  }))
}

/**
 * The SDK looks when it is loaded for what will make its identifiers. That loads all of `node:crypto`, which takes a
 * third of a call without network, and every Node that we run on has `crypto.randomUUID`.
 */
function drawRandomValuesLater({ onLoad }: PluginBuild): void {
  onLoad({ filter: /[\\/]submodules[\\/]serde[\\/]uuid[\\/]v4\.js$/ }, () => ({
    contents: 'export const bindV4 = () => () => crypto.randomUUID()',
  }))
  onLoad({ filter: /[\\/]submodules[\\/]serde[\\/]index\.js$/ }, async ({ path }) => {
    const whole = await readFile(path, 'utf8')
    const contents = whole.replace('bindV4(_getRandomValues)', 'bindV4()').replace(/^const _getRandomValues = .*$/m, '')
    if (contents.includes('_getRandomValues')) throw new Error(`${path} has changed: look at what it loads`)
    return { contents }
  })
}
