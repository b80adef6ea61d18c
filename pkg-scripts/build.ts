import { rmSync } from 'node:fs'
import { bundleHelpers } from './bundle.ts'
import { bundleDirectory } from './helpers.ts'

rmSync(bundleDirectory, { recursive: true, force: true })
for (const [name, { metafile }] of await bundleHelpers()) {
  const bytes = Object.values(metafile.outputs).reduce((sum, output) => sum + output.bytes, 0)
  console.log(`dist/bundle/${name}.cjs  ${Math.round(bytes / 1024)} KiB`)
}
