import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { version } from '../../src/version.ts'
import { type BuildFrom, bundle } from '../bundle/bundle.ts'
import { createCliProgram, createSuiteProgram, type Program } from '../bundle/programs.ts'
import { readCommitTime } from '../commit.ts'
import { hostTarget, isWindows, listRuntimes, prepareRuntime, resolveRuntime } from '../executable/runtimes.ts'
import { buildSuite, type Suite } from '../executable/suite.ts'
import { compressXz, type Entry, renderTar, renderZip } from './archive.ts'
import { renderBillOfMaterials } from './bill-of-materials.ts'
import { listComponents, renderNotices } from './components.ts'
import { debianArchitectures, listDebianEntries, renderDebianPackage } from './debian.ts'
import { renderInstaller } from './installer.ts'

/** One published file. */
interface Published {
  readonly name: string
  readonly content: Buffer
}

interface ReleaseOptions {
  /** From 0, the fastest, to 9, the smallest. */
  readonly compression: number
  /** The maintainer of Debian packages, as `NAME <ADDRESS>`; absent, the project's own authors. */
  readonly maintainer?: string | undefined
}

/** Builds the published files one by one: for each target two archives, and for Linux two Debian packages as well. */
export async function* buildRelease(
  targets: readonly string[],
  from: BuildFrom,
  { compression, maintainer = readAuthor() }: ReleaseOptions,
): AsyncGenerator<Published> {
  const time = readCommitTime()
  const bundles = await Promise.all(
    [createSuiteProgram(from.tree), createCliProgram(from.tree)].map((program) => bundle(program, from)),
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
      for (const part of listParts(suite, from))
        yield* publishPart(part, { target, notices, time, compression, maintainer })
    } finally {
      rmSync(directory, { recursive: true })
    }
  }
}

/** An executable that is published by itself: the helpers for every desktop, or the command for administrators. */
interface Part extends Pick<Program, 'name' | 'summary'> {
  readonly executable: string
  /** Further names of the executable. */
  readonly names: readonly string[]
}

function listParts({ helpers, links, cli }: Suite, from: BuildFrom): Part[] {
  const names = links.map((link) => basename(link))
  return [
    { ...createSuiteProgram(from.tree), executable: helpers, names },
    { ...createCliProgram(from.tree), executable: cli, names: [] },
  ]
}

interface PublishOptions {
  readonly target: string
  readonly notices: Buffer
  readonly time: Date
  readonly compression: number
  readonly maintainer: string
}

async function* publishPart(
  part: Part,
  { target, notices, time, compression, maintainer }: PublishOptions,
): AsyncGenerator<Published> {
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
  const debian = { ...part, version, architecture, maintainer, entries: listDebianEntries(contents) }
  yield {
    name: `${part.name}_${version}_${architecture}.deb`,
    content: await renderDebianPackage(debian, time, compression),
  }
}

function readAuthor(): string {
  const { name, email } = manifest.author
  return `${name} <${email}>`
}

async function readRuntimeNotice(): Promise<string> {
  return readFileSync(join(dirname(await prepareRuntime(resolveRuntime(hostTarget))), 'LICENSE'), 'utf8')
}
