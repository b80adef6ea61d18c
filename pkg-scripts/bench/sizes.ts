import { existsSync, readdirSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import { root } from '../tree.ts'
import type { Benchmark } from './benchmark.ts'
import { renderSize } from './report.ts'

/** Prints the sizes of bundles and executables, and of the archives of the last release that was built. */
export async function printSizes({ bundles, suite, floor }: Benchmark): Promise<void> {
  for (const { name, bytes } of bundles) console.log(`${name}.cjs: ${renderSize(bytes)}`)
  for (const path of [suite.helpers, suite.cli, floor.file]) {
    const content = await readFile(path)
    const packed = await promisify(zstdCompress)(content)
    console.log(`${basename(path)}: ${renderSize(content.length)}, with zstd ${renderSize(packed.length)}`)
  }
  const archives = listArchives()
  for (const path of archives) console.log(`${basename(path)}: ${renderSize(statSync(path).size)}`)
  if (archives.length === 0) console.log('no archives in dist/release: npm run release makes them')
}

function listArchives(): string[] {
  const directory = join(root, 'dist', 'release')
  if (!existsSync(directory)) return []
  const isArchive = (name: string) => /\.(tar\.\w+|zip|deb)$/.test(name)
  return readdirSync(directory)
    .filter(isArchive)
    .map((name) => join(directory, name))
}
