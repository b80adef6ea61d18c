import { link, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import type { OtherHelpers } from '../helper/define-helper.ts'
import { waitForStderr } from '../helper/run/call-settings.ts'
import { defaultColumns, isVersionJson, renderVersion, renderVersionJson, wrapWords } from '../helper/run/help.ts'
import type { Ending } from '../helper/run/run-helper.ts'
import { exitStatus, HelperError, refuseBrokenNames, renderFailure, toHelperError } from '../runtime/failure.ts'
import type { Host } from '../runtime/host.ts'
import { toOutputFailure } from '../runtime/standard-streams.ts'
import { toTypingStreams } from '../runtime/typed-commands.ts'
import { suiteName } from './installed-programs.ts'

/**
 * Answers a run that names no helper: prints the help, the version or a usage error, or creates the links with the helpers' names.
 * @param executable The path of this program.
 */
export async function runWithoutHelper(helpers: OtherHelpers, host: Host, executable: string): Promise<Ending> {
  try {
    await answerPerson(helpers, host, executable)
    return { status: 0, work: 'finished' }
  } catch (thrown) {
    const failure = toHelperError(thrown)
    toTypingStreams(suiteName, host).stderr(renderFailure(suiteName, failure))
    return { status: exitStatus[failure.kind], work: await waitForStderr(host) }
  }
}

async function answerPerson(helpers: OtherHelpers, host: Host, executable: string) {
  const { argv, streams, runtimeVersion } = host
  const [first] = argv
  const print = (text: string) =>
    streams.stdout(text).catch((cause: unknown) => {
      throw toOutputFailure(cause)
    })
  // Runs before the vendor's names are validated, because an installation does not depend on them.
  if (first === '--link-names') return writeNames(executable, [...helpers.keys()])
  refuseBrokenNames()
  if (isVersionJson(argv)) return print(renderVersionJson(suiteName, host))
  if (first === '--version' || first === '-V') return print(renderVersion(suiteName, runtimeVersion))
  if (first === '--help' || first === '-h')
    return print(wrapWords(await renderHelp(helpers), streams.columns() ?? defaultColumns))
  throw toUsageFailure(helpers, first)
}

/**
 * Creates a hard link to the executable under each helper's name beside it, and replaces existing files. Each link is created under another
 * name and renamed, so that no name is ever missing.
 * @throws {HelperError} that names those that could not be replaced, after the others have been.
 */
async function writeNames(executable: string, helpers: readonly string[]): Promise<void> {
  const extension = extname(executable).toLowerCase() === '.exe' ? '.exe' : ''
  if (basename(executable).toLowerCase() !== suiteName + extension)
    throw new HelperError('usage', `this executable is not called ${suiteName}`, 'rename it, and run it again')
  const failed: string[] = []
  for (const name of helpers.map((helper) => helper + extension))
    await writeName(executable, join(dirname(executable), name)).catch(() => failed.push(name))
  if (failed.length > 0)
    throw new HelperError(
      'not-configured',
      `cannot replace ${failed.join(', ')} in ${dirname(executable)}`,
      'end the programs that run under these names, and run it again as an administrator',
    )
}

async function writeName(executable: string, path: string): Promise<void> {
  // POSIX `rename` does nothing if both names are links to one file, and would leave the draft.
  if (await isSameFile(executable, path)) return
  const draft = `${path}.new`
  try {
    await rm(draft, { force: true })
    await link(executable, draft)
    await rename(draft, path)
  } catch (error) {
    // The first error is the one to report; the next run removes the draft.
    await rm(draft, { force: true }).catch(() => undefined)
    throw error
  }
}

/** Returns whether two paths are one file. A path without a readable status is not; linking it then reports the error. */
async function isSameFile(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all(
    [one, other].map((path) => stat(path, { bigint: true }).catch(() => undefined)),
  )
  return first !== undefined && second !== undefined && first.ino === second.ino && first.dev === second.dev
}

async function renderHelp(helpers: OtherHelpers): Promise<string> {
  const rows = await Promise.all(
    [...helpers].map(async ([name, load]) => `  ${name}\n      ${(await load()).summary}\n`),
  )
  return `${suiteName}: every credential helper in one executable

Usage: HELPER [OPTIONS], where HELPER is a link to this executable
       ${suiteName} HELPER [OPTIONS]
       ${suiteName} --link-names
       ${suiteName} --version [--json]

--link-names makes the name of every helper, in the directory of this executable, a hard link to it, in place of what is there: for installations that can only copy files.

Helpers
${rows.join('')}
`
    .trimEnd()
    .concat('\n')
}

function toUsageFailure(helpers: OtherHelpers, first: string | undefined): HelperError {
  const problem = first === undefined ? 'no helper is named' : 'the first argument names no helper'
  const hint = `start it as, or with, one of ${[...helpers.keys()].join(', ')}; see: ${suiteName} --help`
  return new HelperError('usage', problem, hint)
}
