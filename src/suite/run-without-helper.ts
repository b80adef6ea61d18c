import type { OtherHelpers } from '../helper/other-helpers.ts'
import { renderVersion } from '../helper/run/help.ts'
import { defaultColumns, wrapWords } from '../helper/run/wrap-words.ts'
import { exitStatus, HelperError, renderFailure } from '../runtime/failure.ts'
import type { Host } from '../runtime/host.ts'
import { findNameSource } from '../vendor/name-source.ts'
import { suiteName } from './suite-name.ts'

/** A run that names no helper: prints the help, the version or a usage failure. @returns the exit status */
export async function runWithoutHelper(
  helpers: OtherHelpers,
  { argv, streams, runtimeVersion }: Host,
): Promise<number> {
  const { failure } = findNameSource()
  if (failure) return fail(streams, new HelperError(failure.kind, failure.message, failure.hint))
  const [first] = argv
  if (first === '--version' || first === '-V')
    await streams.stdout(renderVersion(suiteName, runtimeVersion), 'finished')
  else if (first === '--help' || first === '-h')
    await streams.stdout(wrapWords(await renderHelp(helpers), streams.columns() ?? defaultColumns), 'finished')
  else {
    const problem = first === undefined ? 'no helper is named' : 'the first argument names no helper'
    const hint = `start it as, or with, one of ${[...helpers.keys()].join(', ')}; see: ${suiteName} --help`
    return fail(streams, new HelperError('usage', problem, hint))
  }
  return 0
}

async function fail({ stderr, flush }: Host['streams'], failure: HelperError): Promise<number> {
  stderr(renderFailure(suiteName, failure))
  await flush()
  return exitStatus[failure.kind]
}

async function renderHelp(helpers: OtherHelpers): Promise<string> {
  const rows = await Promise.all(
    [...helpers].map(async ([name, load]) => `  ${name}\n      ${(await load()).summary}\n`),
  )
  return `${suiteName}: every credential helper in one executable

Usage: HELPER [OPTIONS], where HELPER is a link to this executable
       ${suiteName} HELPER [OPTIONS]

Helpers
${rows.join('')}
`
    .trimEnd()
    .concat('\n')
}
