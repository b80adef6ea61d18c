import {
  choosePolicyName,
  type ExaminedMachine,
  examineInstalledClient,
  type InstalledClient,
  listDifferences,
  type NameDifference,
} from '../client/installed-client.ts'
import { longestFileBytes, readIfPresent } from '../runtime/disk.ts'
import { exitStatus, HelperError, outcomeStatus, refuseBrokenNames, toOneLine } from '../runtime/failure.ts'
import type { Host } from '../runtime/host.ts'
import { noVendorFileHint } from '../runtime/read-names.ts'
import { runProcess } from '../runtime/run-process.ts'
import { renderCounted } from '../runtime/text/counted.ts'
import { quoteForHint } from '../runtime/text/quote.ts'
import { renderJson } from '../runtime/values/json-value.ts'
import { selectNameSource, toVendor, type Vendor } from '../vendor/setting.ts'
import { parseVendorSetting } from '../vendor/validate-setting.ts'
import { vendor } from '../vendor.ts'
import { programName } from '../version.ts'
import type { Cli } from './cli.ts'
import { describeSource } from './read-source.ts'

/** Runs `gatepass vendor check --installed`: how the client on this machine differs from a vendor file, or the names in force. */
export async function compareInstalled(
  { host, terminal, setExitStatus }: Cli,
  path: string | undefined,
  form: 'json' | 'text',
): Promise<void> {
  const { names, source } = await readNames(host, path)
  const seen = await examineInstalledClient(createExaminedMachine(host), names)
  const differences = listDifferences(names, host.platform, seen)
  const isEmpty = seen.applications.length + seen.policies.length === 0
  setExitStatus(isEmpty ? exitStatus['not-configured'] : differences.length > 0 ? outcomeStatus.no : outcomeStatus.done)
  if (form === 'json') return terminal.print(renderJson(toJson(source, seen, differences)))
  terminal.print(isEmpty ? renderNothing(host.platform, seen) : renderComparison(source, seen, differences))
}

/** Reads the names of the file, else those in force. */
async function readNames(host: Host, path: string | undefined): Promise<{ names: Vendor; source: string }> {
  if (path === undefined) {
    refuseBrokenNames()
    return { names: vendor, source: toOneLine(selectNameSource().path ?? 'this build') }
  }
  const result = parseVendorSetting(await readVendorFile(host, path))
  const source = toOneLine(describeSource(path))
  if ('setting' in result) return { names: toVendor(result.setting), source }
  throw new HelperError(
    'usage',
    `${source} cannot be used`,
    `correct it; see: ${programName} vendor check ${quoteForHint(path)}`,
  )
}

/** The time limit of a system program. */
const answerMs = 30_000

/** This machine, with its system programs. */
export function createExaminedMachine({ platform, home, env }: Host): ExaminedMachine {
  return {
    platform,
    home,
    root: '',
    run: async (program, args) => {
      const signal = AbortSignal.timeout(answerMs)
      const outcome = await runProcess({ command: { program, args }, env, signal })
      return outcome.ended === 'exited' && outcome.status === 0 ? new TextDecoder().decode(outcome.stdout) : undefined
    },
  }
}

function toJson(source: string, { applications, ...seen }: InstalledClient, differences: readonly NameDifference[]) {
  const shown = applications.map(({ client, ...application }) => ({
    ...(client && { client: client.name }),
    ...application,
  }))
  return { source, applications: shown, ...seen, differences }
}

function renderNothing(platform: NodeJS.Platform, { unread }: InstalledClient): string {
  return [
    'No client whose names are known, and no policy with a key of the document, is on this machine.',
    `Look up ${choosePolicyName(platform)} in the documentation of your client.`,
    ...renderUnread(unread),
    '',
  ].join('\n')
}

function renderComparison(source: string, seen: InstalledClient, differences: readonly NameDifference[]): string {
  const applications = seen.applications.map(
    ({ title, release, location }) => `${[title, release].filter(Boolean).join(' ')}: ${location}`,
  )
  const found = [...applications, ...seen.policies.map(({ location }) => `a policy: ${location}`)]
  const result =
    differences.length === 0
      ? [`No name of ${source} differs.`]
      : [
          `${renderCounted(differences.length, 'name')} of ${source} ${differences.length === 1 ? 'differs' : 'differ'}:`,
        ]
  return [
    'On this machine:',
    ...found.map((row) => `  ${toOneLine(row)}`),
    ...renderUnread(seen.unread),
    '',
    ...result,
    ...differences.map((row) => `  ${toOneLine(renderDifference(row))}`),
    ...renderWayOut(seen, differences),
    '',
  ].join('\n')
}

function renderDifference({ name, given, found, location }: NameDifference): string {
  return `${name}: "${given}" here, "${found}" by ${location}`
}

function renderUnread(unread: readonly string[]): string[] {
  return unread.map((path) => `  ${toOneLine(path)}: only an administrator can read it, so run this again as one`)
}

/** Renders the next step for the names of a known client. */
function renderWayOut({ applications }: InstalledClient, differences: readonly NameDifference[]): string[] {
  const client = applications.find(({ location }) => differences.some((row) => row.location === location))?.client
  if (client === undefined) return []
  const command = `${programName} vendor init --client ${client.name} --out vendor.json --force`
  return ['', `If people here use ${client.title}, write its names: ${command}`]
}

/**
 * Reads the text of a vendor file, or of standard input (`-`).
 * @throws {HelperError} `usage` for a file that does not exist.
 */
export async function readVendorFile(host: Host, path: string): Promise<string> {
  const text = path === '-' ? await readStandard(host) : await readIfPresent(path)
  if (text === undefined) throw new HelperError('usage', `${path} does not exist`, noVendorFileHint)
  return text
}

/** @throws {HelperError} `usage` for more than a file may have. */
async function readStandard({ streams }: Host): Promise<string> {
  const bytes = await streams.stdin(longestFileBytes, () => false)
  if (bytes.length <= longestFileBytes) return Buffer.from(bytes).toString('utf8')
  throw new HelperError('usage', 'standard input is too long', 'pipe the text of one vendor file in')
}
