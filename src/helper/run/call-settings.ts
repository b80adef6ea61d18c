// Reads the settings of a call, and creates its deadline and its network.

import type { HelperContext } from '../../contract/context.ts'
import { detectContext } from '../../contract/detect-context.ts'
import { computeCallSec } from '../../contract/freshness.ts'
import { midSessionTimeoutSec } from '../../contract/limits.ts'
import { isOfAwsKeys, type OutputFormat } from '../../contract/output-format.ts'
import { Deadline, type Limit } from '../../runtime/deadline.ts'
import { describeWaiting, expandHome, readAhead } from '../../runtime/disk.ts'
import { renderWarning } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { type NetworkSettings, toNetworkSettings } from '../../runtime/network/settings.ts'
import { createCycleFailure, listAskedProfiles } from '../../runtime/program/credential-process-cycle.ts'
import type { Environment } from '../../runtime/run-process.ts'
import type { AnyHelper, NetworkCall } from '../define-helper.ts'
import { parseTimeoutArgument } from '../memo/client-timeout.ts'
import { commonOptions } from '../options/every-helper-options.ts'
import { selectUsable } from '../options/option-files.ts'
import type { OptionTable } from '../options/option-table.ts'
import type { OptionValue } from '../options/option-value.ts'
import { describeOptionOrigin, type ResolvedOptions, readOptions } from '../options/resolve-options.ts'
import { type CallRecord, createCallRecord } from '../record/call-record.ts'

/** Reads the options from all their places, and in parallel the files that the helper is going to read. */
export function readConfiguration(
  host: Host,
  { reads }: AnyHelper,
  { program, table, given }: ConfiguredProgram,
  deadline: Deadline,
): Promise<ResolvedOptions> {
  const ahead = reads?.(host) ?? []
  return deadline.during(
    'configuration',
    () => `reading the configuration files${describeWaiting(ahead)}`,
    () => {
      const reading = readOptions(host, program, table, given)
      readAhead(ahead)
      return reading
    },
  )
}

/** A program whose configuration is read. */
interface ConfiguredProgram {
  readonly program: string
  readonly table: OptionTable
  /** The options on the command line. */
  readonly given: ReadonlyMap<string, OptionValue>
}

/**
 * Refuses to run inside a profile's `credential_process`, unless the output is AWS credentials. Otherwise the helper would ask that
 * profile, which would start the helper again.
 * @throws {HelperError} `not-configured` that names the profile.
 */
export function refuseRecursion(env: Environment, format: OutputFormat): void {
  const profile = listAskedProfiles(env).at(-1)
  if (profile === undefined || isOfAwsKeys(format)) return
  throw createCycleFailure(profile)
}

/** Warns of settings for outcomes that cannot be used. They never cost the token. */
export async function tellOutcomeProblems(
  program: string,
  { streams }: Pick<Host, 'streams'>,
  { resolved, record }: { resolved: ResolvedOptions; record: CallRecord },
): Promise<void> {
  const { parseOutcomeSettings } = await import('../record/outcome-settings.ts')
  for (const problem of parseOutcomeSettings(resolved).problems) {
    record.warnings.push(problem)
    streams.stderr(renderWarning(program, problem))
  }
}

/** Selects how long the client waits, in seconds, before the configuration files are read. */
export function selectClientTimeoutSec(given: ReadonlyMap<string, OptionValue>, { env }: Pick<Host, 'env'>): number {
  return Number(selectUsable('client-timeout', commonOptions['client-timeout'], { arguments: given, env }))
}

/**
 * Creates the deadline for this call's context, counted from the start of the process.
 * @param stages Collects each stage that has ended, with its milliseconds.
 */
export function createDeadline(
  { env, streams, clock }: Host,
  clientTimeoutSec: number,
  { stages }: Pick<CallRecord, 'stages'>,
): Deadline {
  const limit = computeCallLimit(detectContext(env, streams.attached), clientTimeoutSec)
  return new Deadline(limit, clock, (stage, ms) => stages.push([stage, ms]))
}

/** Computes how long a run may take in a context, counted from the start of its process. */
function computeCallLimit(context: HelperContext, clientTimeoutSec: number): Limit {
  const isClamped = context === 'mid-session-refresh' && clientTimeoutSec > midSessionTimeoutSec
  return {
    seconds: computeCallSec(context, clientTimeoutSec),
    hint: isClamped
      ? `find out why it is slow; in ${context} a client waits ${midSessionTimeoutSec} s, whatever its timeoutSec`
      : "find out why it is slow, or raise timeoutSec in the client's document and client-timeout here",
  }
}

/**
 * Creates the call of a run with these options.
 * @param record Collects each warning, and each stage that has ended.
 * @param readHost The host whose environment has the network settings.
 */
export function createCall(
  program: string,
  host: Host,
  resolved: ResolvedOptions,
  record: CallRecord,
  readHost: Host = host,
): NetworkCall {
  return {
    program,
    context: detectContext(host.env, host.streams.attached),
    deadline: createDeadline(host, Number(resolved.get('client-timeout')?.value), record),
    warn: (message) => {
      record.warnings.push(message)
      host.streams.stderr(renderWarning(program, message))
    },
    network: selectNetworkSettings(readHost, resolved),
  }
}

/** Combines the options `proxy`, `no-proxy` and `ca` with the variables that Node and the AWS tools read. */
export function selectNetworkSettings({ env, home }: Host, resolved: ResolvedOptions): NetworkSettings {
  const find = (name: string) => {
    const option = resolved.get(name)
    if (typeof option?.value !== 'string') return undefined
    return { text: option.value, origin: describeOptionOrigin(option.origin) }
  }
  const ca = find('ca')
  const options = {
    proxy: find('proxy'),
    noProxy: find('no-proxy')?.text,
    ca: ca && { path: expandHome(ca.text, home), origin: ca.origin },
  }
  return toNetworkSettings(options, env)
}

/**
 * Waits until everything that was written to stderr has been flushed, for the rest of the deadline and at least for {@link graceSec}, even
 * on a busy machine.
 * @param deadline The call's deadline; by default computed from the arguments, the environment or the client's default.
 */
export function waitForStderr(
  host: Host,
  deadline: Deadline = createDeadline(
    host,
    selectClientTimeoutSec(parseTimeoutArgument(host.argv), host),
    createCallRecord(),
  ),
): Promise<'finished' | 'abandoned'> {
  return host.streams.flush(Math.max(deadline.remainingMs(), graceSec * 1000))
}

/** In seconds: how long writing and the log may take after the deadline. A call ends two seconds before the client would kill it. */
const graceSec = 1

/** Creates the deadline for the work after a call: writing the output, the log and the memo. */
export function createGrace({ clock }: Pick<Host, 'clock'>): Deadline {
  const seconds = clock.elapsedMs() / 1000 + graceSec
  return new Deadline({ seconds, hint: 'run the same command again' }, clock)
}
