// Folder: packages for Linux, built with the tools of each distribution.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderDebianName, toPackageVersion } from '../../../src/suite/package-files.ts'
import { type PackagedPart, type Packaging, type Published, renderMaintainer } from '../part/packaged-part.ts'
import { compressGzip } from './compress-gzip.ts'
import { listInstalled } from './list-installed.ts'
import { type Entry, packTree } from './pack-tree.ts'
import type { ServicePackage } from './services.ts'

/** Packs an executable for Debian and Ubuntu. */
export function packDebianPackage(part: PackagedPart, packaging: Packaging): Promise<Published> {
  const architecture = debianArchitectures[packaging.target]!
  return packDebian({ ...part, entries: listInstalled(part, zshFolder), architecture, dependencies }, packaging)
}

/** Packs a service for Debian and Ubuntu, for every processor. */
export function packDebianService(service: ServicePackage, packaging: Packaging): Promise<Published> {
  // procps contains kill, with which the unit reloads.
  const needed = `gatepass (= ${toPackageVersion(packaging.version)}), procps, systemd`
  const scripts = toDebianScripts(service)
  return packDebian({ ...service, scripts, architecture: 'all', dependencies: needed }, packaging)
}

/** The particulars of a package. */
interface DebianContent extends Pick<PackagedPart, 'name' | 'summary' | 'description'> {
  readonly entries: readonly Entry[]
  readonly architecture: string
  readonly dependencies: string
  /** Programs that the package manager runs, by the name of the script. */
  readonly scripts?: Readonly<Record<string, string>>
}

/** Builds a package with `dpkg-deb`. */
async function packDebian(content: DebianContent, packaging: Packaging): Promise<Published> {
  const { name, architecture, scripts = {} } = content
  const files = [...content.entries, ...listDocuments(content, packaging)]
  const control: Entry[] = [
    toFile('DEBIAN/control', renderControl(content, packaging, files)),
    toFile('DEBIAN/md5sums', renderSums(files)),
    ...Object.entries(scripts).map(([script, text]) => ({ ...toFile(`DEBIAN/${script}`, text), mode: 0o755 })),
  ]
  const file = renderDebianName(name, packaging.version, architecture)
  // A single thread, because the output of several threads depends on the machine.
  const options = ['--root-owner-group', '--threads-max=1', '-Zxz', `-z${packaging.compression}`, '--build']
  const bytes = await packTree([...control, ...files], packaging.time, async (tree, run) => {
    const output = join(tree, '..', file)
    await run('dpkg-deb', [...options, tree, output])
    return readFileSync(output)
  })
  return { name: file, content: bytes }
}

function toDebianScripts({ installed, removing, removed, purged }: ServicePackage): Record<string, string> {
  return {
    postinst: `#!/bin/sh\nset -e\n${installed}`,
    // This does not run before an upgrade, after which the service is restarted.
    prerm: `#!/bin/sh\nset -e\n[ "$1" = remove ] || exit 0\n${removing}`,
    postrm: `#!/bin/sh\nset -e\n${removed}${purged && `[ "$1" = purge ] || exit 0\n${purged}`}`,
  }
}

/** Debian's names of architectures, by target. */
export const debianArchitectures: Readonly<Record<string, string>> = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' }

/** The folder in which Debian's zsh searches for the completions of packages, below `/usr`. */
const zshFolder = 'share/zsh/vendor-completions'

/** The packages with the libraries of the runtime; it needs at least version 2.28 of the C library. */
const dependencies = 'libatomic1, libc6 (>= 2.28), libgcc-s1, libstdc++6'

function listDocuments({ name }: Pick<DebianContent, 'name'>, packaging: Packaging): Entry[] {
  const { notices } = packaging
  return [
    toFile(`usr/share/doc/${name}/copyright`, notices),
    toFile(`usr/share/doc/${name}/changelog.gz`, compressGzip(renderChangelog(name, packaging))),
    toFile(`usr/share/lintian/overrides/${name}`, renderOverrides(name)),
  ]
}

function renderControl(
  { name, summary, description, architecture, dependencies }: DebianContent,
  packaging: Packaging,
  files: readonly Entry[],
): string {
  const bytes = files.reduce((sum, entry) => sum + (entry.kind === 'file' ? entry.content.length : 0), 0)
  return `Package: ${name}
Version: ${toPackageVersion(packaging.version)}
Architecture: ${architecture}
Maintainer: ${renderMaintainer(packaging)}
Homepage: ${packaging.helpUrl}
Installed-Size: ${Math.ceil(bytes / 1024)}
Depends: ${dependencies}
Section: utils
Priority: optional
Description: ${summary}
${description.map((line) => ` ${line}\n`).join('')}`
}

/** Hard links are listed too, because the package manager verifies only listed names. */
function renderSums(files: readonly Entry[]): string {
  const sums = new Map<string, string>()
  for (const entry of files) {
    if (entry.kind === 'file') sums.set(entry.path, createHash('md5').update(entry.content).digest('hex'))
    if (entry.kind === 'link') sums.set(entry.path, sums.get(entry.to)!)
  }
  return [...sums].map(([path, sum]) => `${sum}  ${path}\n`).join('')
}

/** Renders the form that deb-changelog(5) requires; the changes are in the project's own changelog. */
function renderChangelog(name: string, packaging: Packaging): string {
  const { version, time } = packaging
  const date = time.toUTCString().replace('GMT', '+0000')
  return `${name} (${toPackageVersion(version)}) stable; urgency=medium

  * Release ${version}; the changes are in the CHANGELOG.md of this release.

 -- ${renderMaintainer(packaging)}  ${date}
`
}

function renderOverrides(name: string): string {
  return lintianOverrides.map(([tag, reason]) => `# ${reason}\n${name}: ${tag}\n`).join('')
}

/** The intended findings of lintian: the tag of each, and the reason. */
const lintianOverrides: readonly (readonly [tag: string, reason: string])[] = [
  ['dir-or-file-in-opt', 'clients name one path on every system, whatever the package is'],
  ['embedded-library', 'the runtime brings its own libraries; the bill of materials lists them'],
  ['copyright-file-contains-full-apache-2-license', 'libraries ask for their own text of it'],
  ['copyright-not-using-common-license-for-apache2', 'the same'],
  ['copyright-not-using-common-license-for-gpl', "the runtime's notice quotes it"],
  ['old-fsf-address-in-copyright-file', 'the same'],
  ['hardening-no-pie', 'the runtime is built so'],
  ['maintainer-script-calls-systemctl', 'one script serves every system, and RPM runs it too'],
]

function toFile(path: string, content: string | Buffer): Extract<Entry, { kind: 'file' }> {
  return { path, kind: 'file', content: Buffer.from(content), mode: 0o644 }
}
