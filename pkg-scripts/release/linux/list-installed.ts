import { readFileSync } from 'node:fs'
import { machineDirectories } from '../../../src/runtime/host.ts'
import type { PackagedPart } from '../part/packaged-part.ts'
import { type SharedFile, sharedFolders } from '../part/shared-file.ts'
import { compressGzip } from './compress-gzip.ts'
import type { Entry } from './pack-tree.ts'

/**
 * Lists the files of a part that every Linux package manager installs.
 * @param zshFolder The folder in which that system's zsh searches for the completions of packages, below `/usr`.
 */
export function listInstalled(
  { name, names, executable, shared }: PackagedPart,
  zshFolder = sharedFolders.zsh,
): Entry[] {
  const folders = { ...sharedFolders, zsh: zshFolder }
  return [
    { path: machineDirectories.linux.slice(1), kind: 'directory' },
    { path: prefix, kind: 'directory' },
    { path: `${prefix}/${name}`, kind: 'file', content: readFileSync(executable), mode: 0o755 },
    ...names.map((link) => toLink('link', `${prefix}/${link}`, `${prefix}/${name}`)),
    // For people who type a name, and for documents with the path of earlier packages.
    ...[name, ...names].map((link) => toLink('symlink', `usr/bin/${link}`, `/${prefix}/${link}`)),
    ...shared.map((file) => toSharedEntry(file, folders[file.kind])),
  ]
}

/** The folder of every name in every package: clients name this path, on macOS too. */
const prefix = 'opt/gatepass'

function toLink(kind: 'link' | 'symlink', path: string, to: string): Entry {
  return { path, kind, to }
}

/** Package managers expect compressed manual pages, and nothing else compressed. */
function toSharedEntry({ kind, name, content }: SharedFile, folder: string): Entry {
  const path = `usr/${folder}/${name}`
  const file = { kind: 'file', mode: 0o644 } as const
  if (kind === 'manual') return { ...file, path: `${path}.gz`, content: compressGzip(content) }
  return { ...file, path, content: Buffer.from(content) }
}
