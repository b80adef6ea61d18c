import { clientDefaults } from '../../contract/limits.ts'
import type { Deadline } from '../../runtime/deadline.ts'
import { describeWaiting } from '../../runtime/disk.ts'
import { readAhead } from '../../runtime/files.ts'
import type { Host } from '../../runtime/host.ts'
import type { AnyHelper } from '../define-helper.ts'
import { longestReadSec } from '../early/resolve-in-time.ts'
import { readOptions } from '../options/read-options.ts'
import type { ResolvedOptions } from '../options/resolve.ts'
import { commonOptions } from '../options/table.ts'
import { type OptionValue, parseOptionText } from '../options/value.ts'
import { toVariable } from '../options/variable.ts'

/** The run of a helper, of which the arguments are read. */
interface Reading {
  readonly program: string
  readonly helper: AnyHelper
  readonly host: Host
  readonly table: Parameters<typeof readOptions>[2]
  readonly given: ReadonlyMap<string, OptionValue>
}

/** The configuration files are waited for no longer than {@link longestReadSec}. */
const slowDiskHint = 'keep it on a local disk; see what is mounted there with: mount'

/** Reads the options from all their places, and meanwhile the files that the helper is going to read. */
export function readConfiguration(
  { program, helper, host, table, given }: Reading,
  deadline: Deadline,
): Promise<ResolvedOptions> {
  const ahead = helper.reads?.(host) ?? []
  return deadline.shorten(longestReadSec, slowDiskHint).during(
    'configuration',
    () => `reading the configuration files${describeWaiting(ahead)}`,
    () => {
      const reading = readOptions(host, program, table, given)
      readAhead(ahead)
      return reading
    },
  )
}

/** How long the client waits, as far as that is known before the configuration files are read. */
export function findClientTimeoutSec(given: ReadonlyMap<string, OptionValue>, { env }: Pick<Host, 'env'>): number {
  const inVariable = parseOptionText(commonOptions['client-timeout'], env[toVariable('client-timeout')] ?? '')
  const known = given.get('client-timeout') ?? ('value' in inVariable ? inVariable.value : clientDefaults.timeoutSec)
  return Number(known)
}
