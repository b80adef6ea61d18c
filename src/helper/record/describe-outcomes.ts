import { readLastFailure } from '../../outcomes/last-failure.ts'
import { readHeadersFile } from '../../outcomes/read-headers-file.ts'
import type { Deadline } from '../../runtime/deadline.ts'
import { expandHome } from '../../runtime/disk.ts'
import { HelperError } from '../../runtime/failure.ts'
import { locateCacheDirectory } from '../../runtime/files/private-files.ts'
import type { Host } from '../../runtime/host.ts'
import type { ResolvedOptions } from '../options/resolve.ts'
import { hasOutcomes } from './call-record.ts'
import { type OutcomeSettings, parseOutcomeSettings } from './outcome-settings.ts'

/**
 * Describes in one line where operations are told of calls, and each problem in a line of its own: what is wrong with the settings, and why the last
 * sending failed. None where nobody is told.
 */
export async function describeOutcomes(
  host: Located,
  resolved: ResolvedOptions,
  deadline: Deadline,
): Promise<string[]> {
  if (!hasOutcomes(resolved)) return []
  const { settings, problems } = parseOutcomeSettings(resolved)
  const headersProblem = await checkHeadersFile(settings, host.home, deadline)
  const all = [
    ...problems,
    // A file of headers that is wrong now is why the last sending failed.
    ...(settings.endpoint === undefined ? [] : [headersProblem ?? (await checkSending('otlp', host, deadline))]),
    ...(settings.systemLog ? [await checkSending('log', host, deadline)] : []),
  ]
  const found = all.filter((problem) => problem !== undefined)
  return [describeDestinations(settings), ...found.map((problem) => `problem: ${problem}`)]
}

type Located = Pick<Host, 'env' | 'home' | 'platform'>

function describeDestinations({ systemLog, endpoint }: OutcomeSettings): string {
  const collector = endpoint === undefined ? [] : [`the collector ${new URL(endpoint).host}`]
  const all = [...(systemLog ? ['the log of the system'] : []), ...collector]
  return `told to ${all.join(' and ') || 'nobody'}`
}

/** Only the process that sends outcomes reads the file. */
async function checkHeadersFile(
  { endpoint, headersFile }: OutcomeSettings,
  home: string,
  deadline: Deadline,
): Promise<string | undefined> {
  if (endpoint === undefined || headersFile === undefined) return undefined
  const path = expandHome(headersFile, home)
  try {
    await deadline.during('file', `reading ${path}`, () => readHeadersFile(path))
    return undefined
  } catch (error) {
    if (error instanceof HelperError)
      return `otlp-headers-file: ${error.message}; ${error.hint}; the collector is not told`
    throw error
  }
}

async function checkSending(
  destination: 'otlp' | 'log',
  host: Located,
  deadline: Deadline,
): Promise<string | undefined> {
  const directory = locateCacheDirectory(host)
  const failure = await deadline.during('cache', directory, () => readLastFailure(directory, destination))
  if (failure === undefined) return undefined
  return `the last sending failed, at ${new Date(failure.time).toISOString()}: ${failure.message}; ${failure.hint}`
}
