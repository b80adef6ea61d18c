// Reads how long the client waits before the other options are read.

import { computeCallSec } from '../../contract/freshness.ts'
import { clientDefaults } from '../../contract/limits.ts'
import { readText } from '../../runtime/disk.ts'
import { createHost, type Host } from '../../runtime/host.ts'
import { parseObject, stripMark } from '../../runtime/values/json-value.ts'
import { patienceMs, waitAtMost } from '../../runtime/wait-at-most.ts'
import { locateOptionFiles } from '../options/option-files.ts'
import { listArgumentValues, toVariable } from '../options/option-value.ts'

/** A helper's call before its options are read. */
export interface UnreadCall extends Pick<Host, 'argv'> {
  readonly program: string
}

const option = 'client-timeout'

/**
 * Reads how long this call may take, in seconds, while the disk with its options does not respond: from the arguments, the variable and the
 * files for `client-timeout`, in that order. A place that cannot be read sets nothing here; the rest of the program reports it later.
 */
export async function readCallSec({ program, argv }: UnreadCall): Promise<number> {
  const host = createHost()
  const { user, machine } = locateOptionFiles(host, program)
  const [ofUser, ofMachine] = await Promise.all([readSettings(user), readSettings(machine)])
  const isLocked = Array.isArray(ofMachine.locked) && ofMachine.locked.includes(option)
  const open = isLocked ? [] : [findTimeoutArgument(argv), host.env[toVariable(option)], ofUser[option]]
  const limits = [...open, ofMachine[option], clientDefaults.timeoutSec].map((value) => toCallSec(Number(value)))
  return limits.find((seconds) => seconds > 0)!
}

/** Finds the last value of `--client-timeout` in arguments that have not been parsed and may be wrong. */
export function findTimeoutArgument(argv: readonly string[]): string | undefined {
  return listArgumentValues(argv, option).at(-1)
}

/** Reads a file's settings; empty on any error. The rest of the program reads the same file again and reports the error. */
async function readSettings(path: string): Promise<Readonly<Record<string, unknown>>> {
  const text = await waitAtMost(
    readText(path).catch(() => undefined),
    patienceMs,
  )
  return parseObject(stripMark(text ?? '')) ?? {}
}

function toCallSec(clientTimeoutSec: number): number {
  return computeCallSec('unknown', clientTimeoutSec)
}
