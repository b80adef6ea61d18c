import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { PackagedPart, Packaging, Published } from './part/packaged-part.ts'
import { type SharedFile, sharedFolders } from './part/shared-file.ts'
import { type ArchivedFile, compressXz, renderTar, renderZip } from './render-archive.ts'
import { renderInstaller } from './render-installer.ts'

/**
 * Packs the archive of every system whose own programs open it (of Windows, from Windows 11 23H2 and Windows Server 2025 on): a folder with
 * its installation script for the part, and for each part beside it. Their runtime is the same, so that a second one adds a megabyte.
 */
export async function packTarArchive(part: PackagedPart, packaging: Packaging): Promise<Published> {
  const files = [part, ...part.beside].flatMap((one) => listFiles(one, packaging))
  const content = await renderTar(files, packaging.time)
  const windowMiB = part.beside.length === 0 ? undefined : computeWindow(files)
  return {
    name: `${nameArchive(part, packaging)}.tar.xz`,
    content: await compressXz(content, packaging.compression, windowMiB),
  }
}

/** Reaches from an executable to the same place in the one before; a power of two, because every decoder takes that. */
function computeWindow(files: readonly ArchivedFile[]): number {
  const largest = Math.max(...files.map(({ content }) => content.length))
  return 2 ** Math.ceil(Math.log2(largest / 2 ** 20))
}

/** Packs the archive for Windows, with its installation script. */
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
