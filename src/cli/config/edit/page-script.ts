import { join } from 'node:path'

/**
 * Bundles the script of the page. From source it is bundled on request; a build replaces this module by one that contains the text
 * (`pkg-scripts/bundle/bundle.ts`), so that no program includes esbuild.
 */
export async function bundlePageScript(): Promise<string> {
  const { buildPageScript } = await import('./build-page-script.ts')
  return (await buildPageScript(join(import.meta.dirname, 'page/main.tsx'))).script
}
