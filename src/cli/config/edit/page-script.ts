import { join } from 'node:path'

/**
 * The script of the page, as a browser takes it. From source it is bundled when it is asked for; a build replaces this module by one that
 * holds the text (`pkg-scripts/bundle/page-script.ts`), so that esbuild is in no program.
 */
export async function bundlePageScript(): Promise<string> {
  const { buildPageScript } = await import('./build-page-script.ts')
  return (await buildPageScript(join(import.meta.dirname, 'page/main.tsx'))).script
}
