import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderRpmName, toPackageVersion } from '../../../src/suite/package-files.ts'
import { type PackagedPart, type Packaging, type Published, renderMaintainer } from '../part/packaged-part.ts'
import { listInstalled } from './list-installed.ts'
import { type Entry, packTree } from './pack-tree.ts'
import type { ServicePackage } from './services.ts'

/** Packs an executable for Fedora, Red Hat Enterprise Linux, SUSE and others; `rpmbuild` determines its requirements. */
export function packRpmPackage(part: PackagedPart, packaging: Packaging): Promise<Published> {
  const architecture = rpmArchitectures[packaging.target]!
  return packRpm({ ...part, entries: listInstalled(part), architecture, more: '' }, packaging)
}

/** Packs a service, for every processor. */
export function packRpmService(service: ServicePackage, packaging: Packaging): Promise<Published> {
  // util-linux contains kill, with which the unit reloads; logger is not part of it on every system.
  const needed = `gatepass = ${toPackageVersion(packaging.version)}, systemd, util-linux, /usr/bin/logger`
  const more = `Requires: ${needed}\n${renderScripts(service)}`
  return packRpm({ ...service, architecture: 'noarch', more }, packaging)
}

/** The particulars of a package. */
interface RpmContent extends Pick<PackagedPart, 'name' | 'summary' | 'description'> {
  readonly entries: readonly Entry[]
  readonly architecture: string
  /** Further lines of the specification. */
  readonly more: string
}

/** Builds a package with `rpmbuild`. */
async function packRpm(content: RpmContent, packaging: Packaging): Promise<Published> {
  const { name, architecture } = content
  const files = [...content.entries, ...listNotices(content, packaging)]
  const file = renderRpmName(name, packaging.version, architecture)
  const bytes = await packTree(files, packaging.time, async (tree, run) => {
    const specification = join(tree, '..', 'package.spec')
    writeFileSync(specification, renderSpecification(content, packaging, { files, tree }))
    const macros = Object.entries(createMacros(join(tree, '..'), packaging.compression))
    const defines = macros.flatMap(([name, value]) => ['--define', `${name} ${value}`])
    await run('rpmbuild', ['-bb', `--target=${architecture}-linux`, ...defines, specification])
    return readFileSync(join(tree, '..', file))
  })
  return { name: file, content: bytes }
}

/** RPM's names of architectures, by target. */
const rpmArchitectures: Readonly<Record<string, string>> = { 'linux-x64': 'x86_64', 'linux-arm64': 'aarch64' }

function listNotices({ name }: RpmContent, { notices }: Packaging): Entry[] {
  const folder = `usr/share/licenses/${name}`
  return [
    { path: folder, kind: 'directory' },
    { path: `${folder}/THIRD-PARTY-NOTICES.txt`, kind: 'file', content: notices, mode: 0o644 },
  ]
}

function renderSpecification(
  { name, summary, description, more }: RpmContent,
  packaging: Packaging,
  { files, tree }: { files: readonly Entry[]; tree: string },
): string {
  return `Name: ${name}
Version: ${toPackageVersion(packaging.version)}
Release: 1
Summary: ${summary}
License: ${packaging.licence}
Vendor: ${escapeMacros(packaging.publisher)}
URL: ${escapeMacros(packaging.helpUrl)}
Packager: ${escapeMacros(renderMaintainer(packaging))}
AutoProv: no
${more}
%description
${description.join('\n')}

%install
rm -rf %{buildroot}
mv ${tree} %{buildroot}

%files
${files.map(renderFile).join('\n')}
`
}

/** With these macros, the package does not depend on the machine and the time of the build, and rpmbuild adds nothing. */
function createMacros(directory: string, compression: number): Record<string, string> {
  return {
    _topdir: directory,
    _rpmdir: directory,
    _rpmfilename: '%%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm',
    _buildhost: 'localhost',
    use_source_date_epoch_as_buildtime: '1',
    clamp_mtime_to_source_date_epoch: '1',
    source_date_epoch_from_changelog: '0',
    _binary_payload: `w${compression}.xzdio`,
    // The executable is not changed: symbols are not removed or linked.
    __os_install_post: '%{nil}',
    debug_package: '%{nil}',
    _build_id_links: 'none',
  }
}

/** A script's argument is the number of remaining versions: 0 when the package is removed. */
function renderScripts({ installed, removing, removed }: ServicePackage): string {
  return `
%post
${escapeMacros(installed)}
%preun
[ "$1" = 0 ] || exit 0
${escapeMacros(removing)}
%postun
${escapeMacros(removed)}`
}

/** RPM treats a single percent sign as the beginning of a macro. */
function escapeMacros(text: string): string {
  return text.replaceAll('%', '%%')
}

function renderFile(entry: Entry): string {
  const path = `/${entry.path}`
  if (entry.kind === 'symlink') return path
  if (entry.kind === 'directory') return `%dir %attr(0755, root, root) ${path}`
  const mode = entry.kind === 'file' ? entry.mode.toString(8) : '755'
  return `%attr(0${mode}, root, root) ${path}`
}
