import { describeWaiting } from '../../runtime/disk.ts'
import { HelperError } from '../../runtime/failure.ts'
import { readAhead } from '../../runtime/files.ts'
import type { Host } from '../../runtime/host.ts'
import { createDeadline } from '../call/create-call.ts'
import type { UnplannedCall } from '../call/prepare-request.ts'
import { parseArguments } from '../options/arguments.ts'
import { outcomeOptions } from '../options/outcome-options.ts'
import { readOptions } from '../options/read-options.ts'
import { requireOptions } from '../options/require.ts'
import type { ResolvedOption, ResolvedOptions } from '../options/resolve.ts'
import { secondOptions } from '../options/second-options.ts'
import { commonOptions, type OptionTable } from '../options/table.ts'
import type { CallRecord } from '../record/call-record.ts'
import type { SecondHelper } from './find-second.ts'

/** Options that belong to the call, and so to the first helper. In the files of the second one they stand for its own runs. */
const ofTheCall: readonly string[] = [
  ...['client-ttl', 'client-timeout', 'header', 'format', 'log-file', 'explain', 'help', 'version'],
  ...Object.keys({ ...secondOptions, ...outcomeOptions }),
]

/**
 * The options of the second helper: those of `second-option` in place of arguments, its variables, its files; and the client's
 * times as the first helper has them.
 * @param host Its `argv` are the second helper's.
 * @param wanted The facts of its token that headers ask for.
 * @throws {HelperError} as a run of the helper alone does, or `usage` for an option of the call.
 */
export async function readSecondOptions(
  first: UnplannedCall,
  { name, helper }: SecondHelper,
  { host, record, wanted }: { readonly host: Host; readonly record: CallRecord; readonly wanted: readonly string[] },
): Promise<ResolvedOptions> {
  const table: OptionTable = { ...commonOptions, ...helper.options }
  const given = await parseArguments(name, table, host.argv)
  const misplaced = [...given.keys()].filter((option) => ofTheCall.includes(option))
  if (misplaced.length > 0)
    throw new HelperError(
      'usage',
      `second-option: ${misplaced.join(', ')} cannot be set for the second token`,
      'leave it out: it is set once for the whole answer, and a second helper has no second one',
    )
  const deadline = createDeadline(host, record, first.options['client-timeout'])
  const ahead = helper.reads?.(host) ?? []
  const read = await deadline.during(
    'configuration',
    () => `reading the configuration files${describeWaiting(ahead)}`,
    () => {
      const reading = readOptions(host, name, table, given)
      readAhead(ahead)
      return reading
    },
  )
  requireOptions(name, helper.options, read)
  return new Map([...listOwn(read), ...listShared(first, wanted)])
}

function listOwn(read: ResolvedOptions): (readonly [string, ResolvedOption])[] {
  return [...read]
    .filter(([option]) => !ofTheCall.includes(option))
    .map(([option, value]) => [option, value.origin === 'argument' ? { ...value, origin: 'second-option' } : value])
}

function listShared({ resolved }: UnplannedCall, wanted: readonly string[]): (readonly [string, ResolvedOption])[] {
  // Whoever wants no more than the token shares its entry in the cache with runs of the helper alone.
  const facts = [...new Set(wanted)].sort().map((fact) => `{${fact}}`)
  const shared = ['client-ttl', 'client-timeout', 'format', 'explain'].map(
    (option) => [option, resolved.get(option)!] as const,
  )
  return [...shared, ['header', { value: facts, origin: 'header' }]]
}
