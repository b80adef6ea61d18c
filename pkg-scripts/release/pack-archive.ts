import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { type ArchivedFile, compressXz, renderTar, renderZip } from './archive.ts'
import { renderInstaller } from './installer.ts'
import type { PackagedPart, Packaging, Published } from './part/part.ts'
import { type SharedFile, sharedFolders } from './part/shared-file.ts'

/** The archive for Linux and macOS, with its installation script. */
export async function packTarArchive(part: PackagedPart, packaging: Packaging): Promise<Published> {
  const tar = await renderTar(listFiles(part, packaging), packaging.time)
  return { name: `${nameArchive(part, packaging)}.tar.xz`, content: await compressXz(tar, packaging.compression) }
}

/** The archive for Windows, with its installation script. */
export async function packZipArchive(part: PackagedPart, packaging: Packaging): Promise<Published> {
  const content = await renderZip(listFiles(part, packaging), packaging.time, packaging.compression)
  return { name: `${nameArchive(part, packaging)}.zip`, content }
}

function nameArchive({ name }: PackagedPart, { version, target }: Packaging): string {
  return `${name}-${version}-${target}`
}

function listFiles(
  { name, names, executable, shared, pages }: PackagedPart,
  { target, version, notices }: Packaging,
): ArchivedFile[] {
  const [platform = ''] = target.split('-')
  const sharedFiles = platform === 'win32' ? [] : shared.map(toArchived)
  const installer = renderInstaller(platform, {
    name,
    version,
    links: names,
    shared: sharedFiles.map(({ path }) => path),
  })
  return [
    { path: basename(executable), content: readFileSync(executable), mode: 0o755 },
    { path: installer.file, content: Buffer.from(installer.text), mode: 0o755 },
    { path: 'THIRD-PARTY-NOTICES.txt', content: notices, mode: 0o644 },
    ...sharedFiles,
    ...pages,
  ].map(({ path, ...file }) => ({ path: `${name}-${version}/${path}`, ...file }))
}

function toArchived({ kind, name, content }: SharedFile): ArchivedFile {
  return { path: `${sharedFolders[kind]}/${name}`, content: Buffer.from(content), mode: 0o644 }
}
