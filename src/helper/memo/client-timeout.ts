// Reads how long the client waits before the other options are read.

import { dirname } from 'node:path'
import { computeCallSec } from '../../contract/freshness.ts'
import { patienceMs } from '../../contract/limits.ts'
import { readText } from '../../runtime/disk.ts'
import { createHost, type Host } from '../../runtime/host.ts'
import { parseObject, stripMark } from '../../runtime/values/json-value.ts'
import { waitAtMost } from '../../runtime/wait-at-most.ts'
import { commonOptions } from '../options/every-helper-options.ts'
import { locateOptionFiles, type OptionFile, selectUsable } from '../options/option-files.ts'
import {
  listArgumentValues,
  type OptionValue,
  type ParsedOption,
  parseOptionJson,
  parseOptionText,
} from '../options/option-value.ts'

/** A helper's call before its options are read. */
export interface UnreadCall extends Pick<Host, 'argv'> {
  readonly program: string
}

const option = 'client-timeout'
const row = commonOptions[option]

/**
 * Reads how long this call may take, in seconds, while the disk with its options does not respond. A place that cannot be read sets nothing
 * here; the rest of the program reports it later.
 */
export async function readCallSec({ program, argv }: UnreadCall): Promise<number> {
  const host = createHost()
  const paths = locateOptionFiles(host, program)
  const [user, machine] = await Promise.all([readSetting(paths.user), readSetting(paths.machine)])
  const inputs = { arguments: parseTimeoutArgument(argv), env: host.env, user, machine }
  return computeCallSec('unknown', Number(selectUsable(option, row, inputs)))
}

/** Parses the last value of `--client-timeout` in arguments that have not been parsed and may be wrong. */
export function parseTimeoutArgument(argv: readonly string[]): Map<string, OptionValue> {
  return toValues(parseOptionText(row, listArgumentValues(argv, option).at(-1) ?? ''))
}

/** Reads the setting of a file; none on any error. The rest of the program reads the same file again and reports the error. */
async function readSetting(path: string): Promise<OptionFile> {
  const text = await waitAtMost(
    readText(path).catch(() => undefined),
    patienceMs,
  )
  const { locked, [option]: native } = parseObject(stripMark(text ?? '')) ?? {}
  const values = toValues(parseOptionJson(row, native, dirname(path)))
  return { path, values, locked: new Set(values.size > 0 && Array.isArray(locked) ? locked : []) }
}

function toValues(parsed: ParsedOption): Map<string, OptionValue> {
  return new Map('value' in parsed ? [[option, parsed.value]] : [])
}
