import { readFileSync } from 'node:fs'
import { HelperError } from '../../src/runtime/failure.ts'
import { packImage } from './image/pack-image.ts'
import { packDebianPackage, packDebianService } from './linux/debian.ts'
import { packRpmPackage, packRpmService } from './linux/rpm.ts'
import type { ServicePackage } from './linux/services.ts'
import { packTarArchive, packZipArchive } from './pack-archive.ts'
import type { PackagedPart, Packaging, Published } from './part/packaged-part.ts'
import type { Tools } from './part/require-tools.ts'
import { buildMsi, msiTools } from './windows/build-msi.ts'

/** A form in which every part is published. */
export interface PackageFormat {
  /** The name that `--without` takes. */
  readonly name: string
  /** Node's names of the platforms that it is for. */
  readonly platforms: readonly NodeJS.Platform[]
  readonly tools: Tools
  /** The name of the only part that is packed in this format; absent if each part is. */
  readonly onlyPart?: string
  pack(part: PackagedPart, packaging: Packaging): Promise<Published>
  /** Packs a service of systemd; absent where the format has none. */
  packService?(service: ServicePackage, packaging: Packaging): Promise<Published>
}

/** Every format, in the order in which files are made. */
export const formats: readonly PackageFormat[] = [
  { name: 'tar.xz', platforms: ['linux', 'darwin', 'win32'], tools: { xz: 'xz-utils' }, pack: packTarArchive },
  { name: 'zip', platforms: ['win32'], tools: {}, pack: packZipArchive },
  { name: 'msi', platforms: ['win32'], tools: msiTools, pack: packMsi },
  {
    name: 'deb',
    platforms: ['linux'],
    tools: { 'dpkg-deb': 'dpkg' },
    pack: packDebianPackage,
    packService: packDebianService,
  },
  { name: 'rpm', platforms: ['linux'], tools: { rpmbuild: 'rpm' }, pack: packRpmPackage, packService: packRpmService },
  // A desktop runs no containers for its helpers.
  { name: 'oci', platforms: ['linux'], tools: { 'dpkg-deb': 'dpkg' }, pack: packImage, onlyPart: 'gatepass' },
]

/** Packs the package for Windows Installer, which management systems take as it is. */
async function packMsi({ name, summary, names, executable }: PackagedPart, packaging: Packaging): Promise<Published> {
  const { content } = await buildMsi({ ...packaging, name, summary, names, executable: readFileSync(executable) })
  return { name: `${name}-${packaging.version}-${packaging.target}.msi`, content }
}

/** Selects the formats of these targets, without those that are left out by name. */
export function selectFormats(targets: readonly string[], without: readonly string[]): PackageFormat[] {
  const unknown = without.find((name) => !formats.some((format) => format.name === name))
  if (unknown !== undefined)
    throw new HelperError(
      'usage',
      `--without: there is no format ${unknown}`,
      `choose ${formats.map(({ name }) => name).join(', ')}`,
    )
  const isWanted = ({ platforms }: PackageFormat) =>
    targets.some((target) => platforms.some((one) => isOf(target, one)))
  return formats.filter((format) => isWanted(format) && !without.includes(format.name))
}

/** Returns whether a target, such as `linux-x64`, is of a platform. */
export function isOf(target: string, platform: NodeJS.Platform): boolean {
  return target.startsWith(`${platform}-`)
}
