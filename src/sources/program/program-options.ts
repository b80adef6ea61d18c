import { posix, win32 } from 'node:path'
import type { Options, OptionTable } from '../../helper/options/option-table.ts'
import { expandHome } from '../../runtime/disk.ts'
import { HelperError, type Problem, validateReading } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'

/** The options of every helper for which a program may decide whose token is printed. */
export const programOptions = {
  watch: {
    value: 'list',
    summary:
      'a file whose change voids the cached token, because a program then chooses another account, beside those of well-known programs; may be repeated',
  },
  'watch-variable': {
    value: 'list',
    names: 'variable',
    summary:
      'a variable by which a program that gives a token or keys chooses its account, beside the well-known ones; may be repeated',
  },
} as const satisfies OptionTable

/** The values of these options, as a source receives them. */
export type ProgramOptions = Options<typeof programOptions>

/** Finds problems that the option `watch` has on every machine of this system. */
export function validateWatch({ watch }: Pick<ProgramOptions, 'watch'>, platform: NodeJS.Platform): Problem[] {
  return validateReading(() => watch.map((path) => expandWatched(path, { home: '/', platform })))
}

/**
 * Expands the path of a watched file. @throws {HelperError} `usage` for a path that depends on the working directory, which the client
 * chooses.
 */
export function expandWatched(path: string, { home, platform }: Pick<Host, 'home' | 'platform'>): string {
  const resolved = expandHome(path, home)
  if ((platform === 'win32' ? win32 : posix).isAbsolute(resolved)) return resolved
  throw new HelperError(
    'usage',
    'watch names a path that is not absolute',
    'write the absolute path of the file, or one that begins with ~/',
  )
}
