import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { version } from '../../src/version.ts'
import { type BuildFrom, bundle } from '../bundle/bundle.ts'
import { createCliProgram, createSuiteProgram } from '../bundle/programs.ts'
import { readCommitTime } from '../commit.ts'
import { hostTarget, listRuntimes, prepareRuntime, requireRuntime } from '../executable/runtimes.ts'
import { buildSuite, requireBuiltSuite, type Suite } from '../executable/suite.ts'
import { readVendor } from '../read-vendor.ts'
import { renderBillOfMaterials } from './bill-of-materials.ts'
import { listComponents, renderNotices } from './components.ts'
import { isOf, selectFormats } from './formats.ts'
import { readPages } from './part/pages.ts'
import type { PackagedPart, Published } from './part/part.ts'
import { requireTools } from './part/tools.ts'
import { buildSharedFiles } from './shared/build-shared-files.ts'
import type { SharedFiles } from './shared/main.ts'

interface ReleaseOptions {
  /** From 0, the fastest, to 9, the smallest. */
  readonly compression: number
  /** The maintainer of Debian packages, as `NAME <ADDRESS>`; absent, the project's own authors. */
  readonly maintainer?: string | undefined
  /** Names of formats that are left out. */
  readonly without?: readonly string[]
  /** A folder with executables that were built, and signed, on other machines; absent, they are built here. */
  readonly built?: string | undefined
}

/** Builds the published files one by one: for each target the helpers and the command, in every format of its platform. */
export async function* buildRelease(
  targets: readonly string[],
  from: BuildFrom,
  { compression, maintainer = readAuthor(), without = [], built }: ReleaseOptions,
): AsyncGenerator<Published> {
  const chosen = selectFormats(targets, without)
  for (const { name, tools } of chosen) {
    const otherwise = `; or leave the format out: --without ${name}`
    requireTools(tools, { makes: `the format ${name}`, otherwise }, process.env.PATH ?? '')
  }
  const time = readCommitTime()
  const { publisher } = readVendor(from.vendorFile)
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
  const shared = await buildSharedFiles(from, time)
  for (const target of targets) {
    const directory = mkdtempSync(join(tmpdir(), 'release-'))
    try {
      const suite =
        built === undefined ? await buildSuite(target, from, directory) : requireBuiltSuite(target, from, built)
      for (const part of listParts(suite, from, shared))
        for (const { pack } of chosen.filter(({ platforms }) => platforms.some((one) => isOf(target, one))))
          yield await pack(part, { target, version, notices, time, compression, maintainer, publisher })
    } finally {
      rmSync(directory, { recursive: true })
    }
  }
}

function listParts({ helpers, links, cli }: Suite, from: BuildFrom, shared: SharedFiles): PackagedPart[] {
  const names = links.map((link) => basename(link))
  const parts = [
    { ...createSuiteProgram(from.tree), executable: helpers, names, description: describeHelpers(names), pages: [] },
    { ...createCliProgram(from.tree), executable: cli, names: [], description: describeCommand, pages: readPages() },
  ]
  return parts.map((part) => ({ ...part, shared: shared[part.name] ?? [] }))
}

function describeHelpers(names: readonly string[]): string[] {
  return [
    'The helpers that a desktop AI client runs whenever it needs a credential for',
    "an organization's inference gateway, all in one executable:",
    ...names.map((name) => ` * ${name}`),
  ]
}

const describeCommand = [
  'For administrators: checks and converts the configuration of desktop AI',
  'clients, tries credential helpers as a client would, finds out why a token is',
  'refused, and verifies tokens beside a gateway.',
]

function readAuthor(): string {
  const { name, email } = manifest.author
  return `${name} <${email}>`
}

async function readRuntimeNotice(): Promise<string> {
  return readFileSync(join(dirname(await prepareRuntime(requireRuntime(hostTarget))), 'LICENSE'), 'utf8')
}
