import { execFile } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { hostTarget } from '../../pkg-scripts/executable/runtimes.ts'
import type { PackageFormat } from '../../pkg-scripts/release/package-formats.ts'
import type { PackagedPart, Packaging } from '../../pkg-scripts/release/part/packaged-part.ts'
import type { SharedFile } from '../../pkg-scripts/release/part/shared-file.ts'
import { listHelpers } from '../../pkg-scripts/tree.ts'
import { suiteName } from '../../src/suite/installed-programs.ts'
import { runExecutable } from '../setup/run-program.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'

/** Runs a program to its end; rejects where it fails. */
export const run = promisify(execFile)

/** The publisher of made-up packages: RPM would take a single percent sign for a macro. */
export const publisher = {
  publisher: 'Desktop team, 100%name',
  contact: 'desktop@example.com',
  helpUrl: 'https://desktop.example/help?a=100%25',
  licence: 'LicenseRef-Desktop',
} as const

/** Every name that the helpers' package installs. */
export const installedNames = [...listHelpers(), suiteName].sort()

interface Variant {
  readonly version: string
  /** Without it, the executable is a script that prints the version. */
  readonly executable?: string
  readonly target?: string
  readonly shared?: readonly SharedFile[]
  readonly notices?: string
  readonly time?: Date
  /** The directory that it is written into, by default one of the test's own. */
  readonly directory?: string
}

/** Writes a package of the helpers; gives its path. */
export async function writePackage(pack: PackageFormat['pack'], variant: Variant): Promise<string> {
  const directory = variant.directory ?? (await temporaryDirectory())
  const { name, content } = await pack(await makePart(variant, directory), makePackaging(variant))
  const path = join(directory, name)
  await writeFile(path, content)
  return path
}

const madeUpFiles: readonly SharedFile[] = [
  { kind: 'manual', name: 'api-key.1', content: '.TH API-KEY 1\n' },
  { kind: 'bash', name: 'api-key', content: 'complete api-key\n' },
  { kind: 'zsh', name: '_api-key', content: '#compdef api-key\n' },
  { kind: 'fish', name: 'api-key.fish', content: 'complete -c api-key\n' },
]

async function makePart(
  { version, executable, shared = madeUpFiles }: Variant,
  directory: string,
): Promise<PackagedPart> {
  const script = join(directory, 'script')
  await writeFile(script, `#!/bin/sh\necho x ${version} x\n`)
  return {
    name: suiteName,
    summary: 'made by a test',
    description: ['One line.', 'Another.'],
    executable: executable ?? script,
    names: listHelpers(),
    shared,
    pages: [],
    beside: [],
  }
}

/** Makes the text and files beside a made-up package. */
export function makePackaging(variant: Variant): Packaging {
  const { version, target = hostTarget, time = new Date(0) } = variant
  const notices = Buffer.from(variant.notices ?? 'none\n')
  return { target, version, notices, time, compression: 0, ...publisher }
}

/** Lists the files below a root directory with their modes, but for the package manager's own; links with where they lead. */
export async function listFiles(root: string): Promise<string[]> {
  const print = ['(', '-type', 'l', '-printf', '%M %P -> %l\\n', '-o', '-printf', '%M %P\\n', ')']
  const { stdout } = await run('find', ['.', '-path', './var', '-prune', '-o', '!', '-type', 'd', ...print], {
    cwd: root,
  })
  return stdout.split('\n').filter(Boolean).sort()
}

/** Reads the distinct statuses and versions that all names of a directory print. */
export async function readVersions(directory: string): Promise<string[]> {
  const names = await readdir(directory)
  const said = await Promise.all(names.map((name) => runExecutable(join(directory, name), { argv: ['--version'] })))
  return [...new Set(said.map(({ status, stdout }) => `${status} ${stdout.split(' ')[1]}`.trim()))]
}

/** Returns whether two files hold the same bytes. */
export async function isSame(one: string, other: string): Promise<boolean> {
  return (await readFile(one)).equals(await readFile(other))
}
