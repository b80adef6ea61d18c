import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createGunzip } from 'node:zlib'
import { extract } from 'tar-stream'
import { root } from '../tree.ts'
import { downloadPackage, type PinnedPackage } from './download-package.ts'
import { strip } from './strip.ts'

/** A runtime that executables are built on, pinned in `packaging/runtimes/package.json` and, with its digest, in `package-lock.json`. */
export interface Runtime extends PinnedPackage {
  /** Platform and architecture as Node names them, for example `linux-x64`. */
  readonly target: string
}

/** The target of this machine. */
export const hostTarget = `${process.platform}-${process.arch}`

/** The pinned runtime of every target. */
export function listRuntimes(): Runtime[] {
  const { packages }: Lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  return Object.keys(packages['packaging/runtimes']?.optionalDependencies ?? {}).map((packageName) => {
    const { version, integrity, os, cpu } = packages[`node_modules/${packageName}`]!
    return { target: `${[os].flat()[0]}-${[cpu].flat()[0]}`, packageName, version: version!, integrity: integrity! }
  })
}

/** The pinned runtime of one target. */
export function requireRuntime(target: string): Runtime {
  const runtimes = listRuntimes()
  const found = runtimes.find((runtime) => runtime.target === target)
  if (!found) throw new Error(`there is no runtime for ${target}: choose ${runtimes.map((r) => r.target).join(', ')}`)
  return found
}

/** Path of a runtime, downloaded if it is not there and checked, without symbols and signature. */
export async function prepareRuntime(runtime: Runtime): Promise<string> {
  const directory = join(root, 'dist', 'runtimes', `${runtime.packageName}-${runtime.version}`)
  const prepared = join(directory, isWindows(runtime.target) ? 'node.exe' : 'node')
  if (existsSync(prepared)) return prepared
  mkdirSync(directory, { recursive: true })
  const packed = await downloadPackage(runtime)
  const name = `package/bin/${isWindows(runtime.target) ? 'node.exe' : 'node'}`
  const files = await unpack(packed, [name, 'package/LICENSE'])
  const license = files.get('package/LICENSE')
  if (license) writeFileSync(join(directory, 'LICENSE'), license)
  const draft = `${prepared}.${process.pid}.tmp`
  writeFileSync(draft, strip(files.get(name)!), { mode: 0o755 })
  renameSync(draft, prepared)
  return prepared
}

/** Whether executables of a target end in `.exe`. */
export function isWindows(target: string): boolean {
  return target.startsWith('win32-')
}

interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>
}

interface LockedPackage {
  readonly version?: string
  readonly integrity?: string
  readonly os?: string | readonly string[]
  readonly cpu?: string | readonly string[]
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

async function unpack(packed: Buffer, names: readonly string[]): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>()
  const entries = Readable.from([packed]).pipe(createGunzip()).pipe(extract())
  for await (const entry of entries) {
    if (names.includes(entry.header.name)) found.set(entry.header.name, await buffer(entry))
    else entry.resume()
  }
  return found
}
