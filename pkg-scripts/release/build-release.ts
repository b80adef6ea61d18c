import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import type { Vendor } from '../../src/vendor/setting.ts'
import { version } from '../../src/version.ts'
import { type BuildFrom, bundle } from '../bundle/bundle.ts'
import { createCliProgram, createSuiteProgram } from '../bundle/programs.ts'
import { readCommitTime } from '../commit.ts'
import { hostTarget, listRuntimes, prepareRuntime, requireRuntime } from '../executable/runtimes.ts'
import { buildSuite, requireBuiltSuite, type Suite } from '../executable/suite.ts'
import { requirePublisher } from '../read-vendor.ts'
import { root } from '../tree.ts'
import { renderBillOfMaterials } from './bill-of-materials.ts'
import { type Component, listComponents, renderNotices } from './components.ts'
import { isOf, selectFormats } from './formats.ts'
import { readPages } from './part/pages.ts'
import type { PackagedPart, Published } from './part/part.ts'
import { requireTools } from './part/tools.ts'
import { buildSharedFiles } from './shared/build-shared-files.ts'
import type { SharedFiles } from './shared/main.ts'

interface ReleaseOptions {
  /** From 0, the fastest, to 9, the smallest. */
  readonly compression: number
  /** Names of formats that are left out. */
  readonly without?: readonly string[]
  /** A folder with executables that were built, and signed, on other machines; absent, they are built here. */
  readonly built?: string | undefined
}

/** Builds the published files one by one: for each target the helpers and the command, in every format of its platform. */
export async function* buildRelease(
  targets: readonly string[],
  from: BuildFrom,
  { compression, without = [], built }: ReleaseOptions,
): AsyncGenerator<Published> {
  const vendor = requirePublisher(from.vendorFile)
  const { publisher, contact, helpUrl, licence } = vendor
  const chosen = selectFormats(targets, without)
  for (const { name, tools } of chosen) {
    const otherwise = `; or leave the format out: --without ${name}`
    requireTools(tools, { makes: `the format ${name}`, otherwise }, process.env.PATH ?? '')
  }
  const time = readCommitTime()
  const listed = { publisher, contact, helpUrl, licence }
  const bundles = await Promise.all(
    [createSuiteProgram(from.tree), createCliProgram(from.tree)].map((program) => bundle(program, from)),
  )
  const components = listComponents(bundles)
  const runtimes = listRuntimes().filter(({ target }) => targets.includes(target))
  const notices = Buffer.from(renderNotices([readOwnNotice(), ...components], await readRuntimeNotice()))
  yield {
    name: `gatepass-${version}.cdx.json`,
    content: Buffer.from(renderBillOfMaterials({ version, time, ...listed }, components, runtimes)),
  }
  yield { name: 'THIRD-PARTY-NOTICES.txt', content: notices }
  const shared = await buildSharedFiles(from, time)
  for (const target of targets) {
    const directory = mkdtempSync(join(tmpdir(), 'release-'))
    try {
      const suite =
        built === undefined ? await buildSuite(target, from, directory) : requireBuiltSuite(target, from, built)
      for (const part of listParts(suite, { from, shared, vendor }))
        for (const { pack } of chosen.filter(({ platforms }) => platforms.some((one) => isOf(target, one))))
          yield await pack(part, { target, version, notices, time, compression, ...listed })
    } finally {
      rmSync(directory, { recursive: true })
    }
  }
}

function listParts(
  { helpers, links, cli }: Suite,
  { from, shared, vendor }: { from: BuildFrom; shared: SharedFiles; vendor: Vendor },
): PackagedPart[] {
  const names = links.map((link) => basename(link))
  const parts = [
    { ...createSuiteProgram(from.tree), executable: helpers, names, description: describeHelpers(names), pages: [] },
    {
      ...createCliProgram(from.tree),
      executable: cli,
      names: [],
      description: describeCommand,
      pages: readPages(vendor),
    },
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

/** The suite itself: its licence asks that whoever passes it on adds the text, whatever the licence of the packages is. */
function readOwnNotice(): Component {
  return { name: 'gatepass', version, licence: manifest.license, notice: readFileSync(join(root, 'LICENSE'), 'utf8') }
}

async function readRuntimeNotice(): Promise<string> {
  return readFileSync(join(dirname(await prepareRuntime(requireRuntime(hostTarget))), 'LICENSE'), 'utf8')
}
