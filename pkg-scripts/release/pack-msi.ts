import { readFileSync } from 'node:fs'
import type { PackagedPart, Packaging, Published } from './part/packaged-part.ts'
import { buildMsi } from './windows/build-msi.ts'

/** Packs the package for Windows Installer, which management systems take as it is. */
export async function packMsi(part: PackagedPart, packaging: Packaging): Promise<Published> {
  const { name, summary, names } = part
  const { target, version, publisher, contact, helpUrl, notices, time } = packaging
  const executable = readFileSync(part.executable)
  const { content } = await buildMsi({
    name,
    version,
    target,
    summary,
    names,
    executable,
    notices,
    time,
    publisher,
    contact,
    helpUrl,
  })
  return { name: `${name}-${version}-${target}.msi`, content }
}
