import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { compressXz, type Entry, renderTar } from './archive.ts'
import type { Packaging, Part, Published } from './part.ts'

/** The package for Debian and Ubuntu. */
export async function packDebianPackage(part: Part, packaging: Packaging): Promise<Published> {
  const { target, version, notices, time, compression, maintainer } = packaging
  const architecture = debianArchitectures[target.replace('linux-', '')]!
  const contents = { executable: readFileSync(part.executable), notices, name: part.name, links: part.names }
  const described = { ...part, version, architecture, maintainer, entries: listDebianEntries(contents) }
  const name = `${part.name}_${version}_${architecture}.deb`
  return { name, content: await renderDebianPackage(described, time, compression) }
}

interface DebianPackage {
  readonly name: string
  readonly version: string
  /** One of {@link debianArchitectures}. */
  readonly architecture: string
  /** The maintainer, as `NAME <ADDRESS>`. */
  readonly maintainer: string
  readonly summary: string
  readonly entries: readonly Entry[]
}

/** Debian's names of architectures, by Node's. */
export const debianArchitectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

/** A binary package (deb(5)): an `ar` archive of three members, of which the last one holds the files. */
export async function renderDebianPackage(from: DebianPackage, time: Date, level: number): Promise<Buffer> {
  const control: Entry[] = [
    { path: './control', kind: 'file', mode: 0o644, content: Buffer.from(renderControl(from)) },
    { path: './md5sums', kind: 'file', mode: 0o644, content: Buffer.from(renderSums(from.entries)) },
  ]
  const members = {
    'debian-binary': Buffer.from('2.0\n'),
    'control.tar.xz': await compressXz(await renderTar(control, time), level),
    'data.tar.xz': await compressXz(await renderTar(from.entries, time), level),
  }
  return Buffer.concat([
    Buffer.from('!<arch>\n'),
    ...Object.entries(members).map(([name, content]) => renderMember(name, content, time)),
  ])
}

/** The package's files. Every name is a hard link, and the package manager replaces each of them by rename. */
export function listDebianEntries({
  executable,
  notices,
  name,
  links,
}: {
  executable: Buffer
  notices: Buffer
  name: string
  links: readonly string[]
}): Entry[] {
  const directories = [
    '.',
    './etc',
    './etc/gatepass',
    './usr',
    './usr/bin',
    './usr/share',
    './usr/share/doc',
    `./usr/share/doc/${name}`,
  ]
  return [
    ...directories.map((path) => ({ path: `${path}/`, kind: 'directory', mode: 0o755 }) as const),
    { path: `./usr/bin/${name}`, kind: 'file', content: executable, mode: 0o755 },
    ...links.map(
      (link) => ({ path: `./usr/bin/${link}`, kind: 'link', to: `./usr/bin/${name}`, mode: 0o755 }) as const,
    ),
    { path: `./usr/share/doc/${name}/copyright`, kind: 'file', content: notices, mode: 0o644 },
  ]
}

/** The packages whose libraries the runtime is linked to; it needs at least version 2.28 of the C library. */
const dependencies = 'libatomic1, libc6 (>= 2.28), libgcc-s1, libstdc++6'

function renderControl({ name, version, architecture, maintainer, summary, entries }: DebianPackage): string {
  const bytes = entries.reduce((sum, entry) => sum + (entry.kind === 'file' ? entry.content.length : 0), 0)
  return `Package: ${name}
Version: ${version}
Architecture: ${architecture}
Maintainer: ${maintainer}
Installed-Size: ${Math.ceil(bytes / 1024)}
Depends: ${dependencies}
Section: utils
Priority: optional
Description: ${summary}
`
}

/** Hard links are listed as well, because the package manager verifies only the names that it finds here. */
function renderSums(entries: readonly Entry[]): string {
  const sums = new Map<string, string>()
  for (const entry of entries) {
    if (entry.kind === 'file') sums.set(entry.path, createHash('md5').update(entry.content).digest('hex'))
    if (entry.kind === 'link') sums.set(entry.path, sums.get(entry.to)!)
  }
  return [...sums].map(([path, sum]) => `${sum}  ${path.replace(/^\.\//, '')}\n`).join('')
}

/** One `ar` member: a header of text columns, then the content, padded to an even length. */
function renderMember(name: string, content: Buffer, time: Date): Buffer {
  const seconds = String(Math.floor(time.getTime() / 1000))
  const columns = [
    name.padEnd(16),
    seconds.padEnd(12),
    '0'.padEnd(6),
    '0'.padEnd(6),
    '100644'.padEnd(8),
    String(content.length).padEnd(10),
  ]
  return Buffer.concat([Buffer.from(`${columns.join('')}\`\n`), content, Buffer.alloc(content.length % 2, '\n')])
}
