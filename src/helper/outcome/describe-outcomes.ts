import type { Deadline } from '../../runtime/deadline.ts'
import { HelperError } from '../../runtime/failure.ts'
import { expandHome } from '../../runtime/files.ts'
import type { Host } from '../../runtime/host.ts'
import { readHeadersFile } from '../../runtime/outcome/sender/read-headers-file.ts'
import type { ResolvedOptions } from '../options/resolve.ts'
import { hasOutcomes } from './has-outcomes.ts'
import { type OutcomeSettings, parseOutcomeSettings } from './outcome-settings.ts'

/** Where operations are told of calls, in one line, and what is wrong with that, a line each; none where nobody is told. */
export async function describeOutcomes(
  { home }: Pick<Host, 'home'>,
  resolved: ResolvedOptions,
  deadline: Deadline,
): Promise<string[]> {
  if (!hasOutcomes(resolved)) return []
  const { settings, problems } = parseOutcomeSettings(resolved)
  const headersProblem = await findHeadersProblem(settings, home, deadline)
  const all = headersProblem === undefined ? problems : [...problems, `${headersProblem}; the collector is not told`]
  return [describeDestinations(settings), ...all.map((problem) => `problem: ${problem}`)]
}

function describeDestinations({ systemLog, endpoint }: OutcomeSettings): string {
  const collector = endpoint === undefined ? [] : [`the collector ${new URL(endpoint).host}`]
  const all = [...(systemLog ? ['the log of the system'] : []), ...collector]
  return `told to ${all.join(' and ') || 'nobody'}`
}

/** Only the process that sends outcomes reads the file, and nobody reads what that process says. */
async function findHeadersProblem(
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
    if (error instanceof HelperError) return `otlp-headers-file: ${error.message}; ${error.hint}`
    throw error
  }
}
