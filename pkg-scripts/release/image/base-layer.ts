// Folder: the container image: a layer of Debian's libraries, a layer with the command, and the layout of OCI around them.

import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { extract, type Header } from 'tar-stream'
import { HelperError } from '../../../src/runtime/failure.ts'
import { root } from '../../tree.ts'
import packages from './base-packages.json' with { type: 'json' }

/** One entry of a layer; its owner is root. */
export interface LayerEntry {
  readonly name: string
  readonly type: Header['type']
  readonly mode?: number
  /** The path that a symbolic link leads to. */
  readonly linkname?: string
  readonly content?: string | Buffer
}

/** An exact Debian package whose files are in the image. */
export interface BasePackage {
  readonly name: string
  readonly version: string
  readonly architecture: string
  /** An SPDX expression. */
  readonly licence: string
  /** Its path in an archive of Debian. */
  readonly file: string
  readonly sha256: string
}

/** Lists the packages of one architecture, as Debian names it. */
export function listBasePackages(architecture: string): BasePackage[] {
  return packages.filter((one) => one.architecture === architecture)
}

/** Reads the libraries that the runtime is linked to, the licences of their packages, and the files that programs expect everywhere. */
export async function readBaseLayer(architecture: string): Promise<LayerEntry[]> {
  const entries = await Promise.all(listBasePackages(architecture).map(readPackage))
  return [...systemFiles, ...entries.flat()]
}

/** The user of the image; a number, because Kubernetes cannot tell from a name that it is not root. */
export const imageUser = 65_532

const systemFiles: readonly LayerEntry[] = [
  { name: 'etc/gatepass', type: 'directory', mode: 0o755 },
  {
    name: 'etc/passwd',
    type: 'file',
    mode: 0o644,
    content: `root:x:0:0:root:/root:/sbin/nologin\ngatepass:x:${imageUser}:${imageUser}:gatepass:/nonexistent:/sbin/nologin\n`,
  },
  { name: 'etc/group', type: 'file', mode: 0o644, content: `root:x:0:\ngatepass:x:${imageUser}:\n` },
  { name: 'etc/nsswitch.conf', type: 'file', mode: 0o644, content: 'hosts: files dns\n' },
  { name: 'etc/os-release', type: 'symlink', linkname: '../usr/lib/os-release' },
  { name: 'tmp', type: 'directory', mode: 0o1777 },
]

/** Libraries by their names in `ldd`, those of the C library for host names, licences, and the name of the system for scanners. */
const wanted = [
  /^lib64\/ld-linux[^/]*$/,
  /^lib\/(\w+-linux-gnu\/)?ld-linux[^/]*$/,
  /^lib\/\w+-linux-gnu\/lib(c|dl|gcc_s|m|nss_dns|nss_files|pthread|resolv)\.so\.\d+$/,
  /^usr\/lib\/\w+-linux-gnu\/lib(atomic|stdc\+\+)\.so\.[\d.]+$/,
  /^usr\/lib\/os-release$/,
  /^usr\/share\/doc\/[^/]+\/copyright$/,
  /^usr\/share\/common-licenses\//,
]

async function readPackage(one: BasePackage): Promise<LayerEntry[]> {
  const path = await download(one)
  const tar = execFileSync('dpkg-deb', ['--fsys-tarfile', path], { maxBuffer: 2 ** 28 })
  const found: LayerEntry[] = []
  for await (const entry of Readable.from([tar]).pipe(extract())) {
    const name = entry.header.name.replace(/^\.\//, '')
    const { type, mode, linkname } = entry.header
    const content = await buffer(entry)
    if (type === 'directory' || !wanted.some((pattern) => pattern.test(name))) continue
    found.push(type === 'symlink' ? { name, type, linkname } : { name, type, mode, content })
  }
  // Vulnerability scanners read from this file which packages the image contains, as in Google's distroless images.
  const status = execFileSync('dpkg-deb', ['--field', path], { encoding: 'utf8' })
  return [...found, { name: `var/lib/dpkg/status.d/${one.name}`, type: 'file', mode: 0o644, content: status }]
}

/**
 * The archives of Debian: of the release, of its security updates, and of every earlier version. HTTP works like with apt where HTTPS is
 * blocked, and is sufficient, because the digests are verified.
 */
const archives = [
  'http://deb.debian.org/debian',
  'http://deb.debian.org/debian-security',
  'https://snapshot.debian.org/archive/debian/20261120T000000Z',
]

/**
 * Returns the path of a package, downloaded if it does not exist.
 * @throws {HelperError} `unavailable` if no archive has exactly these bytes.
 */
async function download({ name, version, file, sha256 }: BasePackage): Promise<string> {
  const path = join(root, 'dist', 'images', file.replace(/^.*\//, ''))
  if (existsSync(path) && hash('sha256', readFileSync(path)) === sha256) return path
  mkdirSync(dirname(path), { recursive: true })
  for (const archive of archives) {
    const answer = await fetch(`${archive}/${file}`).catch(() => undefined)
    const content = answer?.ok && Buffer.from(await answer.arrayBuffer())
    if (!content || hash('sha256', content) !== sha256) continue
    const draft = `${path}.${process.pid}.tmp`
    writeFileSync(draft, content)
    renameSync(draft, path)
    return path
  }
  throw new HelperError(
    'unavailable',
    `no archive of Debian has ${name} ${version} with the digest of base-packages.json`,
    'see whether deb.debian.org can be reached, or pin a newer version there; or build without the format: --without oci',
  )
}
