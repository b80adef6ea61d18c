// `gatepass bootstrap check` and `schema`, and the shared parts of commands about a rollout folder.

import type { Command } from 'commander'
import { type CheckedRollout, checkRollout, type RolloutContext } from '../../bootstrap/check-rollout.ts'
import { type LoadedRelease, openRelease } from '../../bootstrap/open-release.ts'
import { type RolloutSource, readRollout } from '../../bootstrap/read-rollout.ts'
import { createRolloutSchema, type RolloutFinding } from '../../bootstrap/rollout.ts'
import { compareSeverity } from '../../config/finding.ts'
import { HelperError, outcomeStatus } from '../../runtime/failure.ts'
import { renderCounted } from '../../runtime/text/counted.ts'
import { quoteForHint } from '../../runtime/text/quote.ts'
import { renderJson } from '../../runtime/values/json-value.ts'
import { readPolicyFile, requirePolicy } from '../../verify/policy/read-policy-file.ts'
import { programName } from '../../version.ts'
import { checkReadResult } from '../check-with-helper.ts'
import type { Cli } from '../cli.ts'
import { renderFindingCounts, renderFindings, strictOption, toStatus, unreadableStatus } from '../show-findings.ts'
import { jsonOption } from '../terminal.ts'
import { createPublicKeyOption, readPublicKeys } from './keys.ts'

/** The argument for the rollout folder of an organization. */
export const rolloutArgument = ['<folder>', 'the folder with rollout.json, the base document and the overlays'] as const

/** The exit status of a folder that cannot be read, for the help of a command. */
export const unreadableHelp = `${outcomeStatus.usage} if the folder cannot be read`

/** The options for a release folder to compare with. */
export interface ReleaseFlags {
  readonly release?: string
  readonly publicKey?: string
}

/** Adds the options of {@link ReleaseFlags}. */
export function addReleaseOptions(command: Command): Command {
  return command
    .option('--release <folder>', 'the folder that releases are published to, to compare with what is live')
    .addOption(createPublicKeyOption())
}

interface CheckFlags extends ReleaseFlags {
  readonly policy?: string
  readonly strict?: true
  readonly json?: true
}

/** Adds `gatepass bootstrap check`: whether every possible document works. */
export function addBootstrapCheck(bootstrap: Command, cli: Cli): void {
  addReleaseOptions(
    bootstrap
      .command('check')
      .description('check every document that somebody can get, and the groups that decide who gets which')
      .argument(...rolloutArgument),
  )
    .option('--policy <file>', 'the policy of the server: find groups that leave open whose tokens they mean')
    .option(...strictOption)
    .option(...jsonOption)
    .addHelpText(
      'after',
      `\nExit status: ${outcomeStatus.done} without errors, ${outcomeStatus.no} with errors, ${unreadableHelp}.`,
    )
    .action(async (folder: string, flags: CheckFlags) => {
      const { source, checked } = await checkFolder(cli, folder, {
        live: await findLive(flags),
        issuers: await findIssuers(flags),
      })
      const status = computeStatus(source, checked, flags)
      cli.setExitStatus(status)
      cli.terminal.print(flags.json ? renderCheckDocument(folder, status, checked) : renderText(cli, source, checked))
    })
}

/** Adds `gatepass bootstrap schema`: for editors and other validators. */
export function addBootstrapSchema(bootstrap: Command, { terminal }: Cli): void {
  bootstrap
    .command('schema')
    .description('print the JSON Schema (2020-12) of rollout.json')
    .action(() => terminal.print(renderJson(createRolloutSchema())))
}

/** A rollout folder that was read and checked. */
interface CheckedFolder {
  readonly source: RolloutSource
  readonly checked: CheckedRollout
}

/** Reads a rollout folder, and checks every document as `config check` does. */
export async function checkFolder(cli: Cli, folder: string, context?: RolloutContext): Promise<CheckedFolder> {
  const source = await readRollout(folder)
  const checked = await checkRollout(
    source,
    (result, client) => checkReadResult(cli, result, client, 'the document alone'),
    context,
  )
  return { source, checked: { ...checked, findings: sortByPosition(checked.findings) } }
}

/** Returns the failure of a command that compares documents, for a folder without any. */
export function toFolderFailure(folder: string): HelperError {
  const message = 'no document could be made of the folder'
  return new HelperError('usage', message, `see why: ${programName} bootstrap check ${quoteForHint(folder)}`)
}

/**
 * Finds the issuers that the rules of the policy let pass.
 * @throws {HelperError} `not-configured` for a policy with errors.
 */
async function findIssuers({ policy: path }: CheckFlags): Promise<readonly string[] | undefined> {
  if (path === undefined) return undefined
  const { rules } = requirePolicy(path, await readPolicyFile(path, 'anybody'))
  return [...new Set(rules.map(({ identities }) => (identities === 'aws' ? identities : identities.issuer)))]
}

/**
 * Finds the newest release of a folder; `undefined` without a folder.
 * @throws {HelperError} `usage` for a folder without keys, and {@link ReleaseError}.
 */
export async function findLive(flags: ReleaseFlags): Promise<LoadedRelease | undefined> {
  return (await findRelease(flags))?.current
}

/** Finds the releases that a release folder serves; see {@link findLive}. */
export async function findRelease({ release, publicKey }: ReleaseFlags) {
  if (release === undefined && publicKey === undefined) return undefined
  if (release === undefined || publicKey === undefined)
    throw new HelperError(
      'usage',
      '--release and --public-key belong together',
      'pass both: what a folder holds is shown only if its signature is good',
    )
  return openRelease(release, await readPublicKeys(publicKey))
}

/** Sorts findings: worst first, and by file. */
function sortByPosition(findings: readonly RolloutFinding[]): RolloutFinding[] {
  const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
  return findings.toSorted(
    (a, b) => compareSeverity(a.severity, b.severity) || compareText(a.file, b.file) || (a.line ?? 0) - (b.line ?? 0),
  )
}

function computeStatus(
  { rollout }: RolloutSource,
  { findings, documents }: CheckedRollout,
  { strict }: CheckFlags,
): 0 | 1 | 2 {
  if (
    rollout === undefined &&
    documents.length === 0 &&
    findings.some(({ code, path }) => code === 'file-unreadable' && path === '')
  )
    return unreadableStatus
  return toStatus(findings, strict ? 'strict' : 'usual')
}

function renderCheckDocument(folder: string, status: number, { findings, documents, changes }: CheckedRollout): string {
  const combinations = documents.map(({ groups, digest }) => ({ groups, document: digest }))
  return renderJson({ status, folder, findings, combinations, changes })
}

function renderText({ terminal }: Cli, source: RolloutSource, checked: CheckedRollout): string {
  return `${renderFindings(checked.findings.map(withFile), terminal.paint, titles)}${renderConclusion(source, checked)}\n`
}

/** Returns a finding whose path begins with its file. */
export function withFile({ file, path, ...finding }: RolloutFinding): Omit<RolloutFinding, 'file'> {
  return { ...finding, path: path === '' ? file : `${file}: ${path}` }
}

const titles = { error: 'Errors: this is not published' } as const

function renderConclusion({ rollout }: RolloutSource, { findings, documents }: CheckedRollout): string {
  const count = renderFindingCounts(findings)
  if (rollout === undefined || documents.length === 0) return `No document could be made: ${count}.`
  const different = new Set(documents.map(({ digest }) => digest)).size
  const counts = `${renderCounted(documents.length, 'combination')} of groups can occur, with ${renderCounted(different, 'document')}`
  return toStatus(findings) === outcomeStatus.no
    ? `This cannot be published: ${count}. ${counts}.`
    : `This can be published: ${count}. ${counts}.`
}
