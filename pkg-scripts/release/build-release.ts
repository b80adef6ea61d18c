import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { version } from '../../src/version.ts'
import { type BuildFrom, bundle } from '../bundle.ts'
import { readCommitTime } from '../commit.ts'
import { cliProgram, suiteProgram } from '../programs.ts'
import { hostTarget, isWindows, listRuntimes, prepareRuntime, resolveRuntime } from '../runtimes.ts'
import { buildSuite, type Suite } from '../suite.ts'
import { compressXz, type Entry, renderTar, renderZip } from './archive.ts'
import { renderBillOfMaterials } from './bill-of-materials.ts'
import { listComponents, renderNotices } from './components.ts'
import { debianArchitectures, renderDebianPackage } from './debian.ts'
import { renderInstaller } from './installer.ts'

/** One published file. */
export interface Published {
  readonly name: string
  readonly content: Buffer
}

/** Builds what is published, one file after the other: for each target two archives, and for Linux two packages. */
export async function* buildRelease(
  targets: readonly string[],
  from: BuildFrom,
  compression: number,
): AsyncGenerator<Published> {
  const time = readCommitTime()
  const bundles = await Promise.all(
    [suiteProgram(from.tree), cliProgram(from.tree)].map((program) => bundle(program, from)),
  )
  const components = listComponents(bundles)
  const runtimes = listRuntimes().filter(({ target }) => targets.includes(target))
  const notices = Buffer.from(renderNotices(components, await readRuntimeNotice()))
  yield {
    name: `gatepass-${version}.cdx.json`,
    content: Buffer.from(renderBillOfMaterials({ version, time }, components, runtimes)),
  }
  yield { name: 'THIRD-PARTY-NOTICES.txt', content: notices }
  for (const target of targets) {
    const directory = mkdtempSync(join(tmpdir(), 'release-'))
    try {
      const suite = await buildSuite(target, from, directory)
      for (const part of partsOf(suite)) yield* publish(part, { target, notices, time, compression })
    } finally {
      rmSync(directory, { recursive: true })
    }
  }
}

/** What goes to every desktop, and what goes to administrators only. */
interface Part {
  readonly name: string
  readonly summary: string
  readonly executable: string
  /** Further names of the executable. */
  readonly names: readonly string[]
}

function partsOf({ helpers, links, cli }: Suite): Part[] {
  const names = links.map((link) => basename(link))
  return [
    { name: 'gatepass-helpers', summary: 'credential helpers for desktop AI clients', executable: helpers, names },
    { name: 'gatepass', summary: 'tools for a rollout of credential helpers', executable: cli, names: [] },
  ]
}

interface Circumstances {
  readonly target: string
  readonly notices: Buffer
  readonly time: Date
  readonly compression: number
}

async function* publish(part: Part, { target, notices, time, compression }: Circumstances): AsyncGenerator<Published> {
  const [platform = '', machine = ''] = target.split('-')
  const folder = `${part.name}-${version}`
  const executable = readFileSync(part.executable)
  const installer = renderInstaller(platform, { name: part.name, version, links: part.names })
  const entries: Entry[] = [
    { path: `${folder}/${basename(part.executable)}`, kind: 'file', content: executable, mode: 0o755 },
    { path: `${folder}/${installer.file}`, kind: 'file', content: Buffer.from(installer.text), mode: 0o755 },
    { path: `${folder}/THIRD-PARTY-NOTICES.txt`, kind: 'file', content: notices, mode: 0o644 },
  ]
  const name = `${folder}-${target}`
  if (isWindows(target)) yield { name: `${name}.zip`, content: await renderZip(entries, time, compression) }
  else yield { name: `${name}.tar.xz`, content: await compressXz(await renderTar(entries, time), compression) }
  if (platform !== 'linux') return
  const architecture = debianArchitectures[machine]!
  const contents = { executable, notices, name: part.name, links: part.names }
  const debian = { ...part, version, architecture, entries: debianEntries(contents) }
  yield {
    name: `${part.name}_${version}_${architecture}.deb`,
    content: await renderDebianPackage(debian, time, compression),
  }
}

/** Every name is a hard link, which the package manager replaces one by one, by rename. */
function debianEntries({
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

async function readRuntimeNotice(): Promise<string> {
  return readFileSync(join(dirname(await prepareRuntime(resolveRuntime(hostTarget))), 'LICENSE'), 'utf8')
}
