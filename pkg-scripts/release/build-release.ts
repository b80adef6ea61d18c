import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import type { Vendor } from '../../src/vendor/setting.ts'
import { version } from '../../src/version.ts'
import { type BuildFrom, bundle } from '../bundle/bundle.ts'
import { createCliProgram, createSuiteProgram } from '../bundle/programs.ts'
import { readCommitTime } from '../commit.ts'
import { buildSuite, requireBuiltSuite, type Suite } from '../executable/build-suite.ts'
import { listOriginChecks, prepareRuntime } from '../executable/prepare-runtime.ts'
import { hostTarget, listRuntimes, requireRuntime } from '../executable/runtimes.ts'
import { requirePublisher } from '../read-vendor.ts'
import { packedPrograms, root } from '../tree.ts'
import { type CheckedRuntime, renderBillOfMaterials } from './bill-of-materials.ts'
import { type Component, listComponents, renderNotices } from './components.ts'
import { listBasePackages } from './image/base-layer.ts'
import { debianArchitectures } from './linux/debian.ts'
import { listServices } from './linux/services.ts'
import { isOf, type PackageFormat, selectFormats } from './package-formats.ts'
import type { PackagedPart, Packaging, Published } from './part/packaged-part.ts'
import { readPages } from './part/read-pages.ts'
import { requireTools } from './part/require-tools.ts'
import { type PackingProgress, type PackingTask, runInParallel } from './run-in-parallel.ts'
import { buildSharedFiles } from './shared/build-shared-files.ts'
import type { SharedFiles } from './shared/print-shared-files.ts'

/** Builds the published files: for each target the helpers and the command, in every format of its platform, on all cores. */
export async function* buildRelease(
  targets: readonly string[],
  from: BuildFrom,
  { compression, without = [], built, observe }: ReleaseOptions,
): AsyncGenerator<Published> {
  const vendor = requirePublisher(from.vendorFile)
  const { publisher, contact, helpUrl, licence } = vendor
  const chosen = requireFormats(targets, without)
  const time = readCommitTime()
  const listed = { publisher, contact, helpUrl, licence }
  const bundles = await Promise.all(
    [createSuiteProgram(from.tree), createCliProgram(from.tree)].map((program) => bundle(program, from)),
  )
  const components = listComponents(bundles)
  const runtimes = await listCheckedRuntimes(targets)
  const hasImages = chosen.some(({ name }) => name === 'oci')
  const inImages = hasImages ? targets.flatMap((target) => listBasePackages(debianArchitectures[target] ?? '')) : []
  const notices = Buffer.from(renderNotices([readOwnNotice(), ...components], await readRuntimeNotice()))
  yield {
    name: `gatepass-${version}.cdx.json`,
    content: Buffer.from(renderBillOfMaterials({ version, time, ...listed }, components, runtimes, inImages)),
  }
  yield { name: 'THIRD-PARTY-NOTICES.txt', content: notices }
  const shared = await buildSharedFiles(from, time)
  const directory = mkdtempSync(join(tmpdir(), 'release-'))
  try {
    const common = { version, notices, time, compression, ...listed }
    const tasks = targets.flatMap((target) => {
      const packaging = { ...common, target }
      return listTasks(packaging, chosen, async () => {
        const suite = built === undefined ? buildSuite(target, from, directory) : requireBuiltSuite(target, from, built)
        return listParts(await suite, { from, shared, vendor })
      })
    })
    yield* runInParallel([...tasks, ...listServiceTasks(common, targets, chosen)], availableParallelism(), observe)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

interface ReleaseOptions {
  /** From 0 (fastest) to 9 (smallest). */
  readonly compression: number
  /** The names of formats to omit. */
  readonly without?: readonly string[]
  /** A folder with executables that other machines built and signed; if absent, they are built here. */
  readonly built?: string | undefined
  /** Receives each file that is started or finished. */
  readonly observe?: (progress: PackingProgress) => void
}

/** Returns the formats of these targets, after checking that every tool exists. */
function requireFormats(targets: readonly string[], without: readonly string[]): PackageFormat[] {
  const chosen = selectFormats(targets, without)
  for (const { name, tools } of chosen) {
    const otherwise = `; or build without the format: --without ${name}`
    requireTools(tools, { makes: `the format ${name}`, otherwise }, process.env.PATH ?? '')
  }
  return chosen
}

async function listCheckedRuntimes(targets: readonly string[]): Promise<CheckedRuntime[]> {
  const runtimes = listRuntimes().filter(({ target }) => targets.includes(target))
  return Promise.all(runtimes.map(async (runtime) => ({ ...runtime, checks: await listOriginChecks(runtime) })))
}

/** Returns the suite's own licence, whose text redistributors must include, whatever the licence of the packages is. */
function readOwnNotice(): Component {
  return { name: 'gatepass', version, licence: manifest.license, notice: readFileSync(join(root, 'LICENSE'), 'utf8') }
}

async function readRuntimeNotice(): Promise<string> {
  return readFileSync(join(dirname(await prepareRuntime(requireRuntime(hostTarget))), 'LICENSE'), 'utf8')
}

/** Returns one task for each file of a target. The first that needs the executables builds them for all. */
function listTasks(
  packaging: Packaging,
  formats: readonly PackageFormat[],
  buildParts: () => Promise<PackagedPart[]>,
): PackingTask<Published>[] {
  let parts: Promise<PackagedPart[]> | undefined
  const suiting = formats.filter(({ platforms }) => platforms.some((one) => isOf(packaging.target, one)))
  return packedPrograms.flatMap((part, index) =>
    suiting
      .filter(({ onlyPart = part }) => onlyPart === part)
      .map(({ name, pack }) => ({
        name: `${part} for ${packaging.target}, ${name}`,
        run: async () => {
          parts ??= buildParts()
          return pack((await parts)[index]!, packaging)
        },
      })),
  )
}

/** Lists the parts in the order of `packedPrograms`. */
function listParts(
  { helpers, links, cli }: Suite,
  { from, shared, vendor }: { from: BuildFrom; shared: SharedFiles; vendor: Vendor },
): PackagedPart[] {
  const names = links.map((link) => basename(link))
  const suite = createSuiteProgram(from.tree)
  const command = createCliProgram(from.tree)
  const desktop = {
    ...suite,
    executable: helpers,
    names,
    description: describeHelpers(names),
    pages: [],
    beside: [],
    shared: shared[suite.name] ?? [],
  }
  const administrator = {
    ...command,
    executable: cli,
    names: [],
    description: describeCommand,
    pages: readPages(vendor),
    beside: [desktop],
    shared: shared[command.name] ?? [],
  }
  return [desktop, administrator]
}

/** Returns one task for each service and format. The packages are for every processor, so each is built once, whatever the targets are. */
function listServiceTasks(
  common: Omit<Packaging, 'target'>,
  targets: readonly string[],
  formats: readonly PackageFormat[],
): PackingTask<Published>[] {
  const target = targets.find((one) => isOf(one, 'linux'))
  if (target === undefined) return []
  return listServices().flatMap((service) =>
    formats.flatMap(({ name, packService }) =>
      packService ? [{ name: `${service.name}, ${name}`, run: () => packService(service, { ...common, target }) }] : [],
    ),
  )
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
