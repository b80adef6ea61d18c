// Folder: `npm run release`: archives, packages and the bill of materials.

import { hash } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HelperError } from '../../src/runtime/failure.ts'
import { checkVendorFile } from '../build/vendor-file.ts'
import { listRuntimes, requireRuntime } from '../executable/runtimes.ts'
import { parseOptions } from '../parse-options.ts'
import { tellFailures } from '../tell-failures.ts'
import { root } from '../tree.ts'
import { buildRelease } from './build-release.ts'
import { clearedLine, renderProgress } from './render-progress.ts'
import type { PackingProgress } from './run-in-parallel.ts'

tellFailures('release')
const { values } = parseOptions({
  command: 'npm run release --',
  summary: 'builds everything that is published, in dist/release/',
  options: {
    target: {
      type: 'string',
      multiple: true,
      default: listRuntimes().map(({ target }) => target),
      value: 'TARGET',
      summary: 'files for this platform, such as linux-arm64; absent, for every one',
    },
    vendor: { type: 'string', value: 'FILE', summary: 'the vendor file with the names of your client' },
    built: { type: 'string', value: 'DIRECTORY', summary: 'packs the executables in DIRECTORY/TARGET/' },
    without: { type: 'string', multiple: true, default: [], value: 'FORMAT', summary: 'leaves this format out' },
    compression: {
      type: 'string',
      default: '6',
      value: 'LEVEL',
      summary: 'from 0 (fastest) to 9 (smallest); absent, 6',
    },
    output: {
      type: 'string',
      default: join(root, 'dist', 'release'),
      value: 'DIRECTORY',
      summary: 'where the files are written; absent, dist/release',
    },
  },
})
const vendorFile = values.vendor && checkVendorFile(values.vendor)
const { compression, without, built } = values
if (!/^[0-9]$/.test(compression))
  throw new HelperError('usage', '--compression: expected a digit', 'choose a digit from 0 (fastest) to 9 (smallest)')
for (const target of values.target) requireRuntime(target)

const sums: string[] = []
const isTerminal = process.stderr.isTTY === true
const working = new Set<string>()
const options = { compression: Number(compression), without, built, observe: tellProgress }
for await (const { name, content } of buildRelease(values.target, { vendorFile }, options)) {
  // Only now, so that a missing tool does not remove the previous release.
  if (sums.length === 0) clear(values.output)
  writeFileSync(join(values.output, name), content)
  sums.push(`${hash('sha256', content)}  ${name}\n`)
  if (isTerminal) process.stderr.write(clearedLine)
  console.log(`${name}  ${(content.length / 2 ** 20).toFixed(1)} MiB`)
}
writeFileSync(join(values.output, 'SHA256SUMS'), sums.join(''))

/** Writes to stderr, so that stdout lists the files alone. */
function tellProgress(progress: PackingProgress): void {
  if (progress.event === 'begins') working.add(progress.name)
  else working.delete(progress.name)
  const shown = { isTerminal, columns: process.stderr.columns ?? 80, seconds: process.uptime() }
  process.stderr.write(renderProgress(progress, [...working], shown))
}

function clear(directory: string): void {
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
}
