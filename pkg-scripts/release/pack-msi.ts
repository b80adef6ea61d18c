import { readFileSync } from 'node:fs'
import manifest from '../../package.json' with { type: 'json' }
import type { PackagedPart, Packaging, Published } from './part/part.ts'
import { buildMsi } from './windows/build-msi.ts'

/** The package for Windows Installer, which management systems take as it is. */
export async function packMsi(part: PackagedPart, packaging: Packaging): Promise<Published> {
  const { name, summary, names } = part
  const { target, version, publisher, notices, time } = packaging
  const executable = readFileSync(part.executable)
  const listed = { publisher, contact: manifest.author.email, helpLink: manifest.homepage }
  const { content } = await buildMsi({ name, version, target, summary, names, executable, notices, time, ...listed })
  return { name: `${name}-${version}-${target}.msi`, content }
}
