import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../../pkg-scripts/tree.ts'
import { vendor } from '../../../src/vendor.ts'
import { neutralNames, toNamesInForce } from '../../setup/names.ts'

/** Prepares the folder of the gallery. Its programs are run as they are: a build with other names gets a copy that is written in these. */
export function prepareGallery(): string {
  const own = join(root, 'test/gallery')
  if (vendor.contextVariable === neutralNames.contextVariable) return own
  const copy = join(root, 'dist', 'test', `gallery-${process.pid}`)
  cpSync(own, copy, { recursive: true })
  for (const file of globSync('**/*.{sh,py,cjs}', { cwd: copy })) {
    const path = join(copy, file)
    writeFileSync(path, toNamesInForce(readFileSync(path, 'utf8')))
  }
  return copy
}
