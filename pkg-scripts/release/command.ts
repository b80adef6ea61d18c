// Folder: `npm run release`: archives, packages and the bill of materials.

import { createHash } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { checkVendorFile } from '../build/vendor-file.ts'
import { listRuntimes } from '../executable/runtimes.ts'
import { tellFailures } from '../tell-failures.ts'
import { root } from '../tree.ts'
import { buildRelease } from './build-release.ts'

// Builds everything that is published: `npm run release -- [--target TARGET]… [--vendor FILE] [--compression 0…9]
// [--without FORMAT]… [--built DIRECTORY]`.
tellFailures('release')
const { values } = parseArgs({
  options: {
    target: { type: 'string', multiple: true, default: listRuntimes().map(({ target }) => target) },
    vendor: { type: 'string' },
    built: { type: 'string' },
    without: { type: 'string', multiple: true, default: [] },
    compression: { type: 'string', default: '9' },
    output: { type: 'string', default: join(root, 'dist', 'release') },
  },
})
const vendorFile = values.vendor && checkVendorFile(values.vendor)
const { compression, without, built } = values

const sums: string[] = []
const options = { compression: Number(compression), without, built }
for await (const { name, content } of buildRelease(values.target, { vendorFile }, options)) {
  // Not before, so that a tool that is missing does not cost the release of before.
  if (sums.length === 0) clear(values.output)
  writeFileSync(join(values.output, name), content)
  sums.push(`${createHash('sha256').update(content).digest('hex')}  ${name}\n`)
  console.log(`${name}  ${(content.length / 2 ** 20).toFixed(1)} MiB`)
}
writeFileSync(join(values.output, 'SHA256SUMS'), sums.join(''))

function clear(directory: string): void {
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
}
