import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../../../pkg-scripts/tree.ts'

/** docs/providers.md, whole. */
export const page = await readFile(join(root, 'docs', 'providers.md'), 'utf8')

/** A section of the page: a document, and the settings of `oidc-token` for the same. */
export interface ShownProvider {
  readonly heading: string
  readonly document: string
  readonly helper: string
}

/** The sections that show both, in order. */
export const shownProviders: readonly ShownProvider[] = page.split(/^## /m).flatMap((section) => {
  const [document, helper] = [...section.matchAll(/```json\n([^`]*)```/g)].map(([, text = '']) => text)
  const [heading = ''] = section.split('\n')
  return document === undefined || helper === undefined ? [] : [{ heading, document, helper }]
})
