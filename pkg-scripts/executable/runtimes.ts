import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HelperError } from '../../src/runtime/failure.ts'
import { root } from '../tree.ts'
import type { PinnedPackage } from './download-package.ts'

/** A runtime that executables are built on, pinned in `packaging/runtimes/package.json` and, with its digest, in `package-lock.json`. */
export interface Runtime extends PinnedPackage {
  /** Platform and architecture as Node names them, for example `linux-x64`. */
  readonly target: string
}

/** The target of this machine. */
export const hostTarget = `${process.platform}-${process.arch}`

/** Lists the pinned runtime of every target. */
export function listRuntimes(): Runtime[] {
  const { packages }: Lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  return Object.keys(packages['packaging/runtimes']?.optionalDependencies ?? {}).map((packageName) => {
    const { version, integrity, os, cpu } = packages[`node_modules/${packageName}`]!
    return { target: `${[os].flat()[0]}-${[cpu].flat()[0]}`, packageName, version: version!, integrity: integrity! }
  })
}

/** Returns the pinned runtime of one target. @throws {HelperError} `usage` if no runtime is pinned for it. */
export function requireRuntime(target: string): Runtime {
  const runtimes = listRuntimes()
  const found = runtimes.find((runtime) => runtime.target === target)
  if (found) return found
  throw new HelperError(
    'usage',
    `there is no runtime for ${target}`,
    `choose a target: ${runtimes.map((one) => one.target).join(', ')}`,
  )
}

/** Returns whether executables of a target end in `.exe`. */
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
