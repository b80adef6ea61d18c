import { rmSync } from 'node:fs'
import { bundleAll } from './bundle.ts'
import { bundleDirectory } from './helpers.ts'

rmSync(bundleDirectory, { recursive: true, force: true })
for (const { name, bytes } of await bundleAll()) {
  console.log(`dist/bundle/${name}.cjs  ${Math.round(bytes / 1024)} KiB`)
}
