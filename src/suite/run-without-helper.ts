import type { OtherHelpers } from '../helper/other-helpers.ts'
import { renderVersion } from '../helper/run/help.ts'
import { defaultColumns, wrapWords } from '../helper/run/wrap-words.ts'
import { exitStatus, HelperError, renderFailure, toHelperError } from '../runtime/failure.ts'
import type { Host } from '../runtime/host.ts'
import { findNameSource } from '../vendor/name-source.ts'
import { suiteName } from './suite-name.ts'
import { writeNames } from './write-names.ts'

/**
 * A run that names no helper: prints the help, the version or a usage failure, or links the names of the helpers.
 * @param executable The path of this program.
 * @returns the exit status
 */
export async function runWithoutHelper(
  helpers: OtherHelpers,
  { argv, streams, runtimeVersion }: Host,
  executable: string,
): Promise<number> {
  const [first] = argv
  // By an installation, which the names of a client are nothing to.
  if (first === '--link-names') return runOrTell(streams, () => writeNames(executable, [...helpers.keys()]))
  const { failure } = findNameSource()
  if (failure) return fail(streams, new HelperError(failure.kind, failure.message, failure.hint))
  if (first === '--version' || first === '-V')
    await streams.stdout(renderVersion(suiteName, runtimeVersion), 'finished')
  else if (first === '--help' || first === '-h')
    await streams.stdout(wrapWords(await renderHelp(helpers), streams.columns() ?? defaultColumns), 'finished')
  else return fail(streams, describeUsage(helpers, first))
  return 0
}

async function fail({ stderr, flush }: Host['streams'], failure: HelperError): Promise<number> {
  stderr(renderFailure(suiteName, failure))
  await flush()
  return exitStatus[failure.kind]
}

function describeUsage(helpers: OtherHelpers, first: string | undefined): HelperError {
  const problem = first === undefined ? 'no helper is named' : 'the first argument names no helper'
  const hint = `start it as, or with, one of ${[...helpers.keys()].join(', ')}; see: ${suiteName} --help`
  return new HelperError('usage', problem, hint)
}

/** The exit status; a failure is told on stderr. */
async function runOrTell(streams: Host['streams'], run: () => Promise<void>): Promise<number> {
  try {
    await run()
    return 0
  } catch (thrown) {
    return fail(streams, toHelperError(thrown))
  }
}

async function renderHelp(helpers: OtherHelpers): Promise<string> {
  const rows = await Promise.all(
    [...helpers].map(async ([name, load]) => `  ${name}\n      ${(await load()).summary}\n`),
  )
  return `${suiteName}: every credential helper in one executable

Usage: HELPER [OPTIONS], where HELPER is a link to this executable
       ${suiteName} HELPER [OPTIONS]
       ${suiteName} --link-names

--link-names makes the name of every helper, in the directory of this executable, a hard link to it, in place of what is there: for installations that can only copy files.

Helpers
${rows.join('')}
`
    .trimEnd()
    .concat('\n')
}
